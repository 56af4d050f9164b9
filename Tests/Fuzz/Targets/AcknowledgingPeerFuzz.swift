import GATTProfile

@testable import Links

/// A link that sends to a peer. The peer chooses when to acknowledge, and whether it acknowledges sent segments, unsent
/// ones or none. The first byte chooses the bearer and the MTU.
enum AcknowledgingPeerFuzz {
    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        var world = World(LinkClasses.chosen(steps.choice(of: 255)))
        while let kind = steps.next(of: 8) { world.step(kind, &steps) }
        return 0
    }

    private struct World {
        private let segmentLimit: Int
        private var link: SegmentedLink
        private var hasEnded = false
        /// The number of data segments that the link sent, and the number that the peer has acknowledged.
        private var sent = 0
        private var acknowledged = 0
        /// Messages that were queued and not yet sent whole, and the sent bytes of the first of these messages.
        private var expected: [[UInt8]] = []
        private var arrived: [UInt8] = []
        /// The time since which the link may not send more.
        private var shutSince: Duration?
        private var filler: UInt8 = 0
        private var ownSequence: UInt8 = 0

        init(_ linkClass: LinkClasses.Class) {
            segmentLimit = linkClass.limits.sentBytes
            link = SegmentedLink(limits: linkClass.limits)
        }

        mutating func step(_ kind: UInt8, _ steps: inout FuzzSteps) {
            switch kind {
            case 0, 1, 2: send(Int(steps.choice(of: 255)) << (2 * steps.choice(of: 4)), steps.now)
            case 3: acknowledge(acknowledged + Int(steps.choice(of: 40)), asks: false, steps.now)
            // Acknowledges all segments, or an older number again.
            case 4: acknowledge(sent - Int(steps.choice(of: 4)), asks: steps.choice(of: 2) == 1, steps.now)
            // Acknowledges a random number.
            case 5: acknowledge(Int(steps.choice(of: 255)) << 8 | Int(steps.choice(of: 255)), asks: true, steps.now)
            case 6: dataWithAcknowledgement(acknowledged + Int(steps.choice(of: 40)), steps.now)
            default: perform(.timer, steps.now)
            }
        }

        private mutating func send(_ length: Int, _ now: Duration) {
            guard link.canSend(length) else { return }
            filler &+= 1
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) &+ filler }
            expected.append(message)
            perform(.send(message), now)
        }

        private mutating func acknowledge(_ number: Int, asks: Bool, _ now: Duration) {
            let told = UInt16(truncatingIfNeeded: number)
            perform(.segment(Segment.control(acknowledged: told, asks: asks).bytes), now, acknowledging: told)
        }

        private mutating func dataWithAcknowledgement(_ number: Int, _ now: Duration) {
            let told = UInt16(truncatingIfNeeded: number)
            let segment = DataSegment(sequence: ownSequence, acknowledged: told, total: 1, isLast: true, payload: [1])
            perform(.receive, now)
            ownSequence &+= 1
            perform(.segment(Segment.data(segment).bytes), now, acknowledging: told)
        }

        private mutating func perform(_ event: SegmentedLink.Event, _ now: Duration, acknowledging told: UInt16? = nil)
        {
            let wasOver = hasEnded
            var isForged = false
            if let told, !wasOver {
                let distance = Int(Int16(bitPattern: told &- UInt16(truncatingIfNeeded: acknowledged)))
                isForged = distance > 0 && acknowledged + distance > sent
                if distance > 0, !isForged {
                    acknowledged += distance
                    shutSince = nil
                }
            }
            for action in link.handle(event, now: now) {
                promise(!wasOver, "a link that has ended still acts")
                switch action {
                case .transmit(let bytes): transmitted(bytes)
                case .deliver(let message): promise(message == [1], "a message arrives that nobody sent")
                case .end(let error):
                    hasEnded = true
                    promise(error != .badAcknowledgement || isForged, "a true acknowledgement ends the link")
                    promise(error != .stalled || isStalled(now), "a link is given up too early")
                }
            }
            promise(!isForged || hasEnded, "what was never sent is acknowledged, and the link goes on")
            watch(now, event)
        }

        /// Checks that each message leaves once, in order, within the window, in segments that the bearer carries.
        private mutating func transmitted(_ bytes: [UInt8]) {
            promise(bytes.count <= segmentLimit, "a segment is longer than its bearer carries")
            guard let segment = try? Segment(parsing: bytes) else { return promise(false, "a segment is malformed") }
            guard case .data(let data) = segment else { return }
            promise(data.sequence == UInt8(truncatingIfNeeded: sent), "a segment has a wrong number")
            sent += 1
            promise(sent - acknowledged <= Segmentation.windowSegments, "more is under way than the window")
            promise((data.total != nil) == arrived.isEmpty || data.payload.isEmpty, "a message begins twice, or never")
            arrived += data.payload
            guard data.isLast else { return }
            promise(expected.first == arrived, "another message goes out than was handed in")
            if !expected.isEmpty { expected.removeFirst() }
            arrived = []
        }

        private mutating func watch(_ now: Duration, _ event: SegmentedLink.Event) {
            promise(link.pendingBytes <= Segmentation.queueBytes, "more waits to be sent than the bound")
            promise(expected.count <= Segmentation.queueMessages + 1, "more messages wait than the bound")
            let isShut = !hasEnded && !expected.isEmpty && sent - acknowledged >= Segmentation.windowSegments
            promise(hasEnded || isShut || expected.isEmpty, "the window is open, and something waits")
            shutSince = isShut ? shutSince ?? now : nil
            // A peer that never acknowledges loses the link.
            if case .timer = event { promise(hasEnded || !isStalled(now), "a link that nobody acknowledges goes on") }
        }

        private func isStalled(_ now: Duration) -> Bool {
            shutSince.map { now >= $0 + Segmentation.stallLimit } ?? false
        }
    }
}

/// Each class of MTU that a link can have, of either bearer.
enum LinkClasses {
    struct Class {
        let bearer: Bearer
        let mtu: Int

        var limits: SegmentLimits {
            SegmentLimits(sentBytes: bearer.segmentBytes(mtu: mtu), receivedBytes: bearer.segmentLimitBytes)
        }
    }

    /// For GATT: the lowest MTU, those of old phones, most phones and data length extension, and the highest. For a
    /// channel: the lowest MTU, one segment, one of GATT's segments, and the highest.
    static let all =
        [23, 24, 65, 158, 185, 247, 249, 251, 515, 517].map { Class(bearer: .gatt, mtu: $0) }
        + [23, 64, 512, 1_024, 2_048, 65_535].map { Class(bearer: .l2cap, mtu: $0) }

    static func chosen(_ number: UInt8) -> Class { all[Int(number) % all.count] }
}
