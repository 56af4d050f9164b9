import GATTProfile

@testable import Links

extension SegmentedLink {
    /// Creates a phone's end on GATT, with an ATT_MTU in bytes.
    init(mtu: Int, messageLimit: Int = Segmentation.unauthenticatedMessageBytes) {
        self.init(
            limits: SegmentLimits(
                sentBytes: Bearer.gatt.segmentBytes(mtu: mtu), receivedBytes: Bearer.gatt.segmentLimitBytes),
            messageLimit: messageLimit)
    }
}

/// SplitMix64, a small seeded generator that is good enough to vary tests.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func unhex(_ text: some StringProtocol) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// The `SegmentedLink` of a phone and that of a box, with the air between them, in virtual time.
final class VirtualLink {
    /// One end and its outgoing segments.
    struct End {
        var machine: SegmentedLink
        /// Segments on their way to the other end.
        var air: [(segment: [UInt8], overtaken: Int)] = []
        var toSend: [[UInt8]] = []
        var received: [[UInt8]] = []
        var isAsking = false
        var ended: SegmentError?
        var endedAt: Duration?
        var dataSegments = 0
        var controlSegments = 0
        /// The numbers of the data segments that get lost.
        var losesData: Set<Int> = []
        var hasLostControl = false
        var lastArrival = Duration.zero
        var mostKeptBytes = 0
        var mostUnderWay = 0
    }

    var ends: [End]
    var now = Duration.zero
    var random: SeededRandom
    /// The number of segments that may overtake a segment. 0 keeps the order.
    var reorder = 0
    /// On average, one in this number of segments arrives twice. With 0, none does.
    var duplicatesOneIn = 0
    /// True if control segments get lost, but never two in a row from the same end.
    var losesControl = false
    /// The reader's request for a message comes with a chance of one in this number at each opportunity.
    var asksOneIn = 1

    init(mtus: [Int], limit: Int = Segmentation.messageBytes, random: SeededRandom) {
        ends = mtus.map { End(machine: SegmentedLink(mtu: $0, messageLimit: limit)) }
        self.random = random
    }

    func perform(_ event: SegmentedLink.Event, at index: Int) {
        for action in ends[index].machine.handle(event, now: now) {
            switch action {
            case .transmit(let segment): transmit(segment, from: index)
            case .deliver(let message):
                ends[index].received.append(message)
                ends[index].isAsking = false
            case .end(let error):
                ends[index].ended = error
                ends[index].endedAt = now
            }
        }
        ends[index].mostKeptBytes = max(ends[index].mostKeptBytes, ends[index].machine.keptBytes)
        ends[index].mostUnderWay = max(ends[index].mostUnderWay, ends[index].air.count)
    }

    private func transmit(_ segment: [UInt8], from index: Int) {
        if segment[0] & 0x10 != 0 {
            ends[index].controlSegments += 1
            ends[index].hasLostControl = losesControl && !ends[index].hasLostControl && random.oneIn(2)
            if ends[index].hasLostControl { return }
        } else {
            defer { ends[index].dataSegments += 1 }
            if ends[index].losesData.contains(ends[index].dataSegments) { return }
        }
        ends[index].air.append((segment, 0))
        if duplicatesOneIn > 0, random.oneIn(duplicatesOneIn) { ends[index].air.append((segment, 0)) }
    }

    /// Returns the next segment to arrive. At most `reorder` others may overtake a segment.
    private func takeFromAir(of index: Int) -> [UInt8] {
        var chosen = 0
        if ends[index].air[0].overtaken < reorder {
            chosen = random.below(min(reorder + 1, ends[index].air.count))
        }
        for earlier in 0..<chosen { ends[index].air[earlier].overtaken += 1 }
        return ends[index].air.remove(at: chosen).segment
    }

    /// Performs one random event. Returns false if only time can change the state.
    func step() -> Bool {
        var choices: [() -> Void] = []
        for index in ends.indices where ends[index].ended == nil {
            if let message = ends[index].toSend.first, ends[index].machine.canSend(message.count) {
                choices.append { [self] in
                    ends[index].toSend.removeFirst()
                    perform(.send(message), at: index)
                }
            }
            if !ends[1 - index].air.isEmpty {
                choices.append { [self] in
                    let segment = takeFromAir(of: 1 - index)
                    ends[index].lastArrival = now
                    perform(.segment(segment), at: index)
                }
            }
            if !ends[index].isAsking, random.oneIn(asksOneIn) {
                choices.append { [self] in
                    ends[index].isAsking = true
                    perform(.receive, at: index)
                }
            }
        }
        guard !choices.isEmpty else { return asksOneIn > 1 && ends.contains { !$0.isAsking && $0.ended == nil } }
        choices[random.below(choices.count)]()
        return true
    }

    /// Advances the time to the next deadline. Returns false if neither end has one.
    func passTime() -> Bool {
        let due = ends.compactMap(\.machine.deadline).min()
        guard let due else { return false }
        now = max(now, due)
        for index in ends.indices where ends[index].ended == nil { perform(.timer, at: index) }
        return true
    }

    /// Runs until nothing happens any more. Returns false after too many steps, which means a livelock.
    func run(steps: Int = 400_000) -> Bool {
        for _ in 0..<steps where !step() {
            guard ends.allSatisfy({ $0.ended == nil }), passTime() else { return true }
        }
        return false
    }

    func underWay(from index: Int) -> Int { ends[index].air.count }
}
