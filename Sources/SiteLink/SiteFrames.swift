import SiteTrust

/// Cuts a stream of bytes into messages: each has its length in 2 bytes, highest first, in front of it.
///
/// Once `next` has said nil, it holds one message that is not complete, of at most `limit` bytes, whatever the other side sends.
public struct SiteFrames: Sendable {
    /// Length of the length, in bytes.
    static let headBytes = 2
    /// Longest message before the other side has proved who it is, in bytes: a greeting with the longest document.
    public static let openingLimit = 1_024
    /// Longest message afterwards, in bytes.
    public static let messageLimit = 8_192

    private var limit: Int
    private var kept: [UInt8] = []
    /// What lies before this was given out. One read brings thousands of small messages: to move the rest up behind each would
    /// cost the square of their number.
    private var start = 0

    public init(limit: Int = openingLimit) {
        self.limit = limit
    }

    /// Bytes that were added and not given out.
    public var keptBytes: Int { kept.count - start }

    /// The other side has proved who it is.
    public mutating func raiseLimit() { limit = Self.messageLimit }

    public mutating func add(_ bytes: [UInt8]) { kept += bytes }

    /// The next complete message; nil: more has to come. Throws `wrongLength` for an empty message, and for one that is too long
    /// as soon as its length is there: the stream is of no use any more, and nothing of it is kept.
    public mutating func next() throws(SiteLinkError) -> [UInt8]? {
        guard keptBytes >= Self.headBytes else {
            shrink()
            return nil
        }
        let count = Int(kept[start]) << 8 | Int(kept[start + 1])
        guard count > 0, count <= limit else {
            forget()
            throw .wrongLength
        }
        guard keptBytes >= Self.headBytes + count else {
            shrink()
            return nil
        }
        let end = start + Self.headBytes + count
        defer { start = end }
        return [UInt8](kept[start + Self.headBytes..<end])
    }

    /// Nothing more is looked at.
    mutating func forget() {
        kept = []
        start = 0
    }

    /// Keeps the beginning of one message, in memory of its size and not in that of all that came before.
    private mutating func shrink() {
        guard start > 0 else { return }
        kept = [UInt8](kept[start...])
        start = 0
    }

    /// The message as it goes into the stream: 1 to 65,535 bytes.
    public static func frame(_ message: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }
}
