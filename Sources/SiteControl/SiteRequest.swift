import ControlProtocol
import Wire

/// What `boxsite` asks of `boxsited`: a map with named fields, as `boxagent`'s requests are.
package enum SiteRequest: Equatable, Sendable {
    case status
    /// A new box. `number`: six digits, or nil for a free one. `groups`: 1 to 8, ascending. The code is good for `hours`.
    case addBox(name: String, number: String?, groups: [UInt16], hours: UInt64)
    case boxes
    /// Takes a box out of the site, for good.
    case removeBox(name: String, reason: String)
    /// The clocks were looked at: sign again.
    case acceptClock

    package static func decode(_ input: RawSpan) throws(ControlMessageError) -> SiteRequest { try read(input) }

    package func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        try write(secret: RawSpan(), to: &output)
    }
}

/// Bounds of what administrators say to a server.
package enum SiteControlLimits {
    /// Longest life of a join code, in hours: a week.
    package static let codeHours: UInt64 = 168
    /// A box's name.
    package static let nameBytes = 64
    /// Why something was done, for the log.
    package static let reasonBytes = 200
    /// 2 bytes for each group.
    static let groupBytes = 16
}

extension SiteRequest: ControlMessage {
    package enum Kind: String, FieldWord, CaseIterable {
        case status
        case addBox = "add-box"
        case boxes
        case removeBox = "remove-box"
        case acceptClock = "accept-clock"
    }

    package var kind: Kind {
        switch self {
        case .status: .status
        case .addBox: .addBox
        case .boxes: .boxes
        case .removeBox: .removeBox
        case .acceptClock: .acceptClock
        }
    }

    package init(blank kind: Kind) {
        self =
            switch kind {
            case .status: .status
            case .addBox: .addBox(name: "", number: nil, groups: [], hours: 0)
            case .boxes: .boxes
            case .removeBox: .removeBox(name: "", reason: "")
            case .acceptClock: .acceptClock
            }
    }

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .status, .boxes, .acceptClock: break
        case .addBox(var name, var number, let groups, var hours):
            var bytes = GroupField.bytes(groups)
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            try coder.text("number", &number, limit: 6)
            try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
            try coder.number("hours", &hours, limit: SiteControlLimits.codeHours)
            self = .addBox(name: name, number: number, groups: try GroupField.numbers(bytes), hours: hours)
        case .removeBox(var name, var reason):
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .removeBox(name: name, reason: reason)
        }
    }
}

/// Groups as bytes, 2 for each.
enum GroupField {
    static func bytes(_ groups: [UInt16]) -> [UInt8] {
        groups.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    static func numbers(_ bytes: [UInt8]) throws(ControlMessageError) -> [UInt16] {
        guard bytes.count.isMultiple(of: 2) else { throw .invalid(field: "groups", .tooLarge) }
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}
