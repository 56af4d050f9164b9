/// A phone's request for the site document in clear, in place of a handshake (docs/reference/site-protocol.md, 12).
public struct DocumentRequest: Sendable, Equatable {
    static let kind: UInt8 = 3
    static let documentBytes = 162...818

    /// The phone's own document, for a box that lacks it.
    public let shown: [UInt8]?

    public init(showing document: [UInt8]? = nil) {
        shown = document
    }

    /// Reads 0x03, alone or before a document. Returns nil for anything else.
    public init?(parsing bytes: [UInt8]) {
        guard bytes.first == Self.kind else { return nil }
        guard bytes.count > 1 else {
            self.init()
            return
        }
        guard Self.documentBytes.contains(bytes.count - 1) else { return nil }
        self.init(showing: [UInt8](bytes[1...]))
    }

    /// The request as it is sent.
    public var bytes: [UInt8] { [Self.kind] + (shown ?? []) }
}
