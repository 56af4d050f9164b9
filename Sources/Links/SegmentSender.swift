/// The sending half of a link. It cuts messages into segments as the other side's window allows.
struct SegmentSender {
    private let segmentBytes: Int
    /// Complete messages. The first may be partly sent.
    private var queue: [[UInt8]] = []
    private var sentOfFirst = 0
    /// The number of the next segment, counted from 0 for the life of the link.
    private var nextSequence = 0
    /// The other side has acknowledged all segments below this number.
    private var acknowledged = 0
    private var shut: Shut?

    /// The state of a full window with more data waiting.
    private struct Shut {
        let since: Duration
        var nextProbe: Duration
    }

    private(set) var pendingBytes = 0
    /// The number of messages whose last segment was handed out.
    private(set) var finishedMessages = 0

    init(segmentBytes: Int) {
        self.segmentBytes = segmentBytes
    }

    var pendingMessages: Int { queue.count }

    func canTake(_ bytes: Int) -> Bool {
        queue.isEmpty
            || (queue.count < Segmentation.queueMessages && pendingBytes + bytes <= Segmentation.queueBytes)
    }

    mutating func append(_ message: [UInt8]) throws(SegmentError) {
        guard message.count <= Segmentation.messageBytes, canTake(message.count) else { throw .tooLarge }
        queue.append(message)
        pendingBytes += message.count
    }

    /// Returns the next segment that the window allows. It carries the `owed` acknowledgements if they cost no extra
    /// packet, or if they would soon need a packet of their own.
    mutating func next(acknowledging sequence: Int, owed: Int) -> (bytes: [UInt8], acknowledges: Bool)? {
        guard let message = queue.first, nextSequence - acknowledged < Segmentation.windowSegments else { return nil }
        let isFirst = sentOfFirst == 0
        let left = message.count - sentOfFirst
        let acknowledges =
            owed >= Segmentation.ownAcknowledgementSegments
            || (owed > 0
                && packets(left, isFirst: isFirst, acknowledges: true)
                    == packets(left, isFirst: isFirst, acknowledges: false))
        let room = segmentBytes - DataSegment.headerBytes(isFirst: isFirst, acknowledges: acknowledges)
        let end = min(sentOfFirst + room, message.count)
        let segment = DataSegment(
            sequence: UInt8(truncatingIfNeeded: nextSequence),
            acknowledged: acknowledges ? UInt16(truncatingIfNeeded: sequence) : nil,
            total: isFirst ? message.count : nil, isLast: end == message.count,
            payload: Array(message[sentOfFirst..<end]))
        nextSequence += 1
        pendingBytes -= end - sentOfFirst
        sentOfFirst = end
        if segment.isLast {
            queue.removeFirst()
            sentOfFirst = 0
            finishedMessages += 1
        }
        return (Segment.data(segment).bytes, acknowledges)
    }

    /// Returns how many packets the rest of a message takes, with or without an acknowledgement in the next packet.
    private func packets(_ left: Int, isFirst: Bool, acknowledges: Bool) -> Int {
        let next = segmentBytes - DataSegment.headerBytes(isFirst: isFirst, acknowledges: acknowledges)
        let further = segmentBytes - DataSegment.headerBytes(isFirst: false, acknowledges: false)
        return 1 + (max(0, left - next) + further - 1) / further
    }

    mutating func handle(acknowledgement: UInt16) throws(SegmentError) {
        let distance = Int(Int16(bitPattern: acknowledgement &- UInt16(truncatingIfNeeded: acknowledged)))
        // An older or repeated acknowledgement changes nothing.
        guard distance > 0 else { return }
        guard acknowledged + distance <= nextSequence else { throw .badAcknowledgement }
        acknowledged += distance
        shut = nil
    }

    /// Detects that the window has shut or opened. Call it after every change.
    mutating func updateTime(_ now: Duration) {
        guard !queue.isEmpty, nextSequence - acknowledged >= Segmentation.windowSegments else {
            shut = nil
            return
        }
        if shut == nil { shut = Shut(since: now, nextProbe: now + Segmentation.probeInterval) }
    }

    var deadline: Duration? {
        shut.map { min($0.nextProbe, $0.since + Segmentation.stallLimit) }
    }

    /// Returns true if an acknowledgement should be requested, because the last one may have been lost.
    mutating func wantsProbe(_ now: Duration) throws(SegmentError) -> Bool {
        guard var shut else { return false }
        guard now < shut.since + Segmentation.stallLimit else { throw .stalled }
        guard now >= shut.nextProbe else { return false }
        shut.nextProbe = now + Segmentation.probeInterval
        self.shut = shut
        return true
    }
}
