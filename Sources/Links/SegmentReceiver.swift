/// The receiving half of a link. It orders segments and assembles messages, one at a time, on request.
///
/// Segments of messages not yet requested stay in the window, unacknowledged. The full window then holds the other side
/// back. The stored data is limited to one window and one message.
struct SegmentReceiver {
    private static let window = Segmentation.windowSegments

    /// The longest message accepted, in bytes.
    var messageLimit: Int
    private let segmentLimitBytes: Int

    /// Segments below this number have left the window. Acknowledgements carry this number.
    private(set) var taken = 0
    /// All segments below this number have arrived.
    private var arrived = 0
    /// The value of `taken` in the last acknowledgement.
    private var told = 0
    /// Segment n is stored at index n modulo the window.
    private var held: [Held?] = Array(repeating: nil, count: window)
    private var heldSegments = 0
    private(set) var heldBytes = 0
    /// Fingerprints of the last segments taken. They tell a repeat from a segment with other content.
    private var recent: [UInt64] = Array(repeating: 0, count: window)

    private var message: [UInt8] = []
    private var total: Int?
    private var isAsked = false
    /// True if the last segment that arrived in order did not finish its message.
    private var isHalfway = false
    /// The start of the time limit for a missing segment, or for the rest of a message.
    private var waitingSince = Duration.zero

    private struct Held {
        let segment: DataSegment
        let fingerprint: UInt64
    }

    init(messageLimit: Int, segmentLimitBytes: Int) {
        self.messageLimit = messageLimit
        self.segmentLimitBytes = segmentLimitBytes
    }

    /// The number of segments taken but not yet acknowledged.
    var owed: Int { taken - told }

    /// The number of bytes stored for the other side.
    var keptBytes: Int { heldBytes + message.count }

    /// Room for two messages: the one that authenticates the other side, and the one sent right after it.
    private var keptLimitBytes: Int { 2 * max(messageLimit, Segmentation.unauthenticatedMessageBytes) }

    /// Records that an acknowledgement of all taken segments is being sent.
    mutating func acknowledged(_ now: Duration) {
        let wasWaiting = deadline != nil
        told = taken
        // Restart the time limit only if none was running: otherwise repeated probes could keep a gap open.
        if !wasWaiting { waitingSince = now }
    }

    // MARK: Arrival

    mutating func accept(
        _ segment: DataSegment, encoded: [UInt8], now: Duration
    ) throws(SegmentError) {
        guard encoded.count <= segmentLimitBytes else { throw .malformed }
        let fingerprint = Self.fingerprint(encoded)
        let number = taken + Int(Int8(bitPattern: segment.sequence &- UInt8(truncatingIfNeeded: taken)))
        if number < taken {
            guard number >= 0, number >= taken - Self.window else { throw .outsideWindow }
            guard recent[number % Self.window] == fingerprint else { throw .repeatedWithOtherContent }
            return
        }
        guard number < told + Self.window else { throw .outsideWindow }
        if let earlier = held[number % Self.window] {
            guard earlier.segment == segment else { throw .repeatedWithOtherContent }
            return
        }
        guard keptBytes + segment.payload.count <= keptLimitBytes else { throw .tooLarge }
        held[number % Self.window] = Held(segment: segment, fingerprint: fingerprint)
        heldSegments += 1
        heldBytes += segment.payload.count
        // Restart the time limit if the next segment in order has come, or if this segment opens a gap.
        if number == arrived || heldSegments == arrived - taken + 1 { waitingSince = now }
        while arrived < taken + Self.window, let next = held[arrived % Self.window] {
            isHalfway = !next.segment.isLast
            arrived += 1
        }
    }

    /// Returns a hash in the manner of FNV-1a. It works on words of eight bytes, because every segment is hashed. It
    /// detects accidental changes; a forged match is ignored like any repeat.
    private static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
        let elements = bytes.span
        // SAFETY: the bytes of a UInt8 are all initialised, and `bytes` outlives the call.
        let span = unsafe elements.bytes
        var result = 0xCBF2_9CE4_8422_2325 ^ UInt64(span.byteCount)
        var index = 0
        while index + 8 <= span.byteCount {
            // SAFETY: every bit pattern is a UInt64, and the call is bounds-checked.
            let word = unsafe span.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            result = (result ^ word) &* 0x9E37_79B9_7F4A_7C15
            // Multiplication carries only upwards, so fold the high half down.
            result ^= result >> 32
            index += 8
        }
        for byte in bytes[index...] {
            result = (result ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return result
    }

    // MARK: Messages

    mutating func ask() {
        isAsked = true
    }

    /// Returns the next message, if it was asked for and is complete.
    mutating func takeMessage() throws(SegmentError) -> [UInt8]? {
        while isAsked, taken < arrived, let next = held[taken % Self.window] {
            held[taken % Self.window] = nil
            recent[taken % Self.window] = next.fingerprint
            taken += 1
            heldSegments -= 1
            heldBytes -= next.segment.payload.count
            try append(next.segment)
            if next.segment.isLast {
                defer {
                    message = []
                    total = nil
                    isAsked = false
                }
                return message
            }
        }
        return nil
    }

    private mutating func append(_ segment: DataSegment) throws(SegmentError) {
        if let length = segment.total {
            guard total == nil else { throw .overlap }
            guard length <= messageLimit else { throw .tooLarge }
            total = length
        }
        guard let total, message.count + segment.payload.count <= total else { throw .overlap }
        message += segment.payload
        guard segment.isLast == (message.count == total) else { throw .overlap }
    }

    // MARK: Time

    private var hasGap: Bool { heldSegments > arrived - taken }

    /// True if half a message is stored and our window lets the other side send the rest.
    private var waitsForRest: Bool { isHalfway && arrived < told + Self.window }

    var deadline: Duration? {
        hasGap || waitsForRest ? waitingSince + Segmentation.gapLimit : nil
    }

    func checkTime(_ now: Duration) throws(SegmentError) {
        guard let deadline, now >= deadline else { return }
        throw hasGap ? .gapTimedOut : .staleMessage
    }
}
