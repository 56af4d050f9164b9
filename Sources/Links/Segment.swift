/// Constants of the segment format and its flow control. docs/reference/segmentation.md describes both.
public enum Segmentation {
    /// The longest message, in bytes.
    public static let messageBytes = 65_536
    /// The longest message before the other side is authenticated, in bytes.
    public static let unauthenticatedMessageBytes = 512
    /// The most unacknowledged segments in flight in each direction.
    public static let windowSegments = 32
    /// A receiver that owes this many acknowledgements sends them in a packet of their own.
    public static let ownAcknowledgementSegments = 16
    /// A missing segment, or the rest of a message, must arrive within this time.
    public static let gapLimit = Duration.seconds(2)
    /// A sender with a shut window asks for an acknowledgement at this interval, several times within `gapLimit`.
    public static let probeInterval = Duration.milliseconds(500)
    /// A sender with a shut window gives up after this time.
    public static let stallLimit = Duration.seconds(30)
    /// A receiver answers at most one request for an acknowledgement in this time.
    public static let probeAnswerInterval = Duration.milliseconds(250)
    /// The most messages that may wait to be sent.
    public static let queueMessages = 32
    /// The most bytes that may wait to be sent: room for one message of full length.
    public static let queueBytes = 65_536
}

/// One value of the transfer characteristic: a piece of a message, or only an acknowledgement.
enum Segment: Equatable {
    case data(DataSegment)
    /// Acknowledges all segments below `acknowledged`, modulo 65,536. `asks` requests an acknowledgement in return.
    case control(acknowledged: UInt16, asks: Bool)

    static let controlBytes = 3
    private static let first: UInt8 = 0x80
    private static let last: UInt8 = 0x40
    private static let acknowledges: UInt8 = 0x20
    private static let control: UInt8 = 0x10
    private static let asks: UInt8 = 0x08

    init(parsing bytes: [UInt8]) throws(SegmentError) {
        guard bytes.count >= 2 else { throw .malformed }
        let flags = bytes[0]
        if flags & Self.control != 0 {
            guard flags & ~(Self.control | Self.asks) == 0, bytes.count == Self.controlBytes else { throw .malformed }
            self = .control(acknowledged: Self.number(bytes, at: 1), asks: flags & Self.asks != 0)
            return
        }
        guard flags & ~(Self.first | Self.last | Self.acknowledges) == 0 else { throw .malformed }
        let isFirst = flags & Self.first != 0
        let hasAcknowledgement = flags & Self.acknowledges != 0
        let header = DataSegment.headerBytes(isFirst: isFirst, acknowledges: hasAcknowledgement)
        guard bytes.count >= header else { throw .malformed }
        let payload = Array(bytes[header...])
        let isLast = flags & Self.last != 0
        // Only the empty message has a segment without a payload.
        guard !payload.isEmpty || (isFirst && isLast) else { throw .malformed }
        var total: Int?
        if isFirst {
            let length = Int(Self.number(bytes, at: header - 2))
            // 65,536 does not fit into 16 bits. A length of 0 without the last flag stands for 65,536.
            total = length == 0 && !isLast ? Segmentation.messageBytes : length
        }
        self = .data(
            DataSegment(
                sequence: bytes[1], acknowledged: hasAcknowledgement ? Self.number(bytes, at: 2) : nil, total: total,
                isLast: isLast, payload: payload))
    }

    var bytes: [UInt8] {
        switch self {
        case .control(let acknowledged, let asks):
            return [Self.control | (asks ? Self.asks : 0)] + Self.bytes(acknowledged)
        case .data(let data):
            var flags: UInt8 = 0
            if data.total != nil { flags |= Self.first }
            if data.isLast { flags |= Self.last }
            if data.acknowledged != nil { flags |= Self.acknowledges }
            var bytes = [flags, data.sequence]
            if let acknowledged = data.acknowledged { bytes += Self.bytes(acknowledged) }
            if let total = data.total { bytes += Self.bytes(UInt16(truncatingIfNeeded: total)) }
            return bytes + data.payload
        }
    }

    private static func number(_ bytes: [UInt8], at index: Int) -> UInt16 {
        UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

/// A piece of a message.
struct DataSegment: Equatable {
    /// Counts segments, not messages, modulo 256.
    let sequence: UInt8
    let acknowledged: UInt16?
    /// The message's length, in its first segment only.
    let total: Int?
    let isLast: Bool
    let payload: [UInt8]

    static func headerBytes(isFirst: Bool, acknowledges: Bool) -> Int {
        2 + (isFirst ? 2 : 0) + (acknowledges ? 2 : 0)
    }
}
