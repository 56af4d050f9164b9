import SiteTrust

/// Splits a stream of bytes into messages, each after its length in 2 bytes, big-endian.
///
/// Once `next` has returned nil, only one incomplete message of at most `limit` bytes is stored.
public struct SiteFrames: Sendable {
    /// Size of the length field, in bytes.
    static let headBytes = 2
    /// Longest message before the other side has proved its identity, in bytes: a greeting with the longest document.
    public static let openingLimit = 1_024
    /// Longest message afterwards, in bytes.
    public static let messageLimit = 8_192

    private var limit: Int
    private var kept: [UInt8] = []
    /// Bytes before this offset were returned already. One read may bring thousands of small messages, and moving the
    /// rest after each message would take quadratic time.
    private var start = 0

    public init(limit: Int = openingLimit) {
        self.limit = limit
    }

    /// The number of bytes that were added and not returned yet.
    public var keptBytes: Int { kept.count - start }

    /// Raises the limit after the other side has proved its identity.
    public mutating func raiseLimit() { limit = Self.messageLimit }

    public mutating func add(_ bytes: [UInt8]) { kept += bytes }

    /// Returns the next complete message, or nil if more bytes are needed. Throws `wrongLength` for an empty message,
    /// or as soon as a message proves too long. The stream is then unusable, and its bytes are discarded.
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

    /// Discards all stored bytes.
    mutating func forget() {
        kept = []
        start = 0
    }

    /// Copies the incomplete message into memory of its own size, and releases the larger buffer.
    private mutating func shrink() {
        guard start > 0 else { return }
        kept = [UInt8](kept[start...])
        start = 0
    }

    /// Returns the message with its length: 1 to 65,535 bytes.
    public static func frame(_ message: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }
}
