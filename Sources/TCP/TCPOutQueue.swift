/// A bounded queue of bytes to send.
struct TCPOutQueue {
    /// Sent bytes at the front are removed once there are this many.
    private static let sweepBytes = 16_384

    /// Most bytes that wait.
    let limit: Int
    private var bytes: [UInt8] = []
    private var sent = 0

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { bytes.count - sent }
    var unsent: ArraySlice<UInt8> { bytes[sent...] }

    /// Returns false and adds nothing if the queue would exceed its limit.
    mutating func add(_ more: [UInt8]) -> Bool {
        guard more.count <= limit - count else { return false }
        bytes += more
        return true
    }

    mutating func dropFirst(_ count: Int) {
        sent += count
        if sent == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.sweepBytes)
            sent = 0
        } else if sent >= Self.sweepBytes {
            bytes.removeFirst(sent)
            sent = 0
        }
    }

    mutating func clear() {
        bytes = []
        sent = 0
    }
}
