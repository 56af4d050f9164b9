/// An addition after the 121 bytes of a box's identity: kind (1) ‖ length (2) ‖ value, in ascending order of kinds
/// (docs/reference/protocol.md, section 3). Unknown kinds are skipped.
struct IdentityAddition: Equatable, Sendable {
    enum Kind: UInt8 { case siteCertificate = 1 }

    private static let headBytes = 3

    let kind: UInt8
    let value: [UInt8]

    init(kind: Kind, value: [UInt8]) {
        self.init(rawKind: kind.rawValue, value: value)
    }

    private init(rawKind: UInt8, value: [UInt8]) {
        kind = rawKind
        self.value = value
    }

    var bytes: [UInt8] {
        [kind, UInt8(truncatingIfNeeded: value.count >> 8), UInt8(truncatingIfNeeded: value.count)] + value
    }

    /// Returns all additions, or nil if any of the bytes are not valid.
    static func all(in bytes: [UInt8]) -> [IdentityAddition]? {
        var found: [IdentityAddition] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let head = [UInt8](rest.prefix(headBytes))
            guard head.count == headBytes, head[0] > found.last?.kind ?? 0 else { return nil }
            let value = rest.dropFirst(headBytes).prefix(Int(head[1]) << 8 | Int(head[2]))
            guard value.count == Int(head[1]) << 8 | Int(head[2]) else { return nil }
            found.append(IdentityAddition(rawKind: head[0], value: [UInt8](value)))
            rest = rest.dropFirst(headBytes + value.count)
        }
        return found
    }
}
