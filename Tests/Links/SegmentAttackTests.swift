import Testing

@testable import Links

@Suite("Segments that break the rules")
struct SegmentAttackTests {
    /// Returns a link whose reader waits for a message.
    private func reader(limit: Int = 512) -> SegmentedLink {
        var link = SegmentedLink(mtu: 247, messageLimit: limit)
        _ = link.handle(.receive, now: .zero)
        return link
    }

    private func data(
        _ sequence: UInt8, total: Int? = nil, last: Bool = false, _ payload: [UInt8], acknowledged: UInt16? = nil
    ) -> [UInt8] {
        Segment.data(
            DataSegment(sequence: sequence, acknowledged: acknowledged, total: total, isLast: last, payload: payload)
        ).bytes
    }

    private func outcome(_ segments: [[UInt8]], limit: Int = 512) -> [SegmentedLink.Action] {
        var link = reader(limit: limit)
        return segments.flatMap { link.handle(.segment($0), now: .zero) }
    }

    @Test(
        "Each of these ends the link with its reason",
        arguments: [
            ("empty", "", SegmentError.malformed), ("one byte", "c0", .malformed),
            ("reserved flag", "c1000000", .malformed), ("control with first", "90000000", .malformed),
            ("control too long", "1000000000", .malformed), ("control too short", "1000", .malformed),
            ("control with reserved bit", "14000000", .malformed),
            ("no room for the length", "c000", .malformed), ("no room for the acknowledgement", "6000", .malformed),
            ("first of many without payload", "80000005", .malformed), ("middle without payload", "0000", .malformed),
            ("continues nothing", "400041", .overlap), ("more than its total", "c00000024142 43", .overlap),
            ("less than its total", "c000000341", .overlap), ("last missing", "800000014142", .overlap),
            ("empty that carries bytes", "c000000041", .overlap),
            ("over 512 bytes", "8000020141", .tooLarge), ("64 KiB before authentication", "8000000041", .tooLarge),
            ("ahead of the window", "c020000141", .outsideWindow), ("behind the window", "c0df000141", .outsideWindow),
            ("behind the first", "c0ff000141", .outsideWindow),
            ("acknowledges the unsent", "e0000001000141", .badAcknowledgement),
            ("control acknowledges the unsent", "100001", .badAcknowledgement),
        ] as [(String, String, SegmentError)])
    func single(_ name: String, _ segment: String, _ error: SegmentError) {
        #expect(outcome([unhex(segment)]) == [.end(error)], "\(name)")
    }

    @Test("A message inside a message is an overlap")
    func nested() {
        #expect(
            outcome([data(0, total: 10, [1, 2]), data(1, total: 3, last: true, [1, 2, 3])]) == [.end(.overlap)])
    }

    @Test("A repeat with the same content is ignored; one with other content ends the link, taken already or not")
    func repeats() {
        let first = data(0, total: 1, last: true, [1])
        let other = data(0, total: 1, last: true, [2])
        #expect(outcome([first, first]) == [.deliver([1])])
        #expect(outcome([first, other]) == [.deliver([1]), .end(.repeatedWithOtherContent)])
        let early = data(2, total: 1, last: true, [1])
        let forged = data(2, total: 1, last: true, [2])
        #expect(outcome([early, early]) == [])
        #expect(outcome([early, forged]) == [.end(.repeatedWithOtherContent)])
    }

    @Test("A segment over 242 bytes is refused, one of 242 is taken at any MTU")
    func oversize() {
        let fits = data(0, total: 238, last: true, [UInt8](repeating: 1, count: 238))
        #expect(fits.count == 242)
        #expect(outcome([fits]) == [.deliver([UInt8](repeating: 1, count: 238))])
        let over = data(0, total: 239, last: true, [UInt8](repeating: 1, count: 239))
        #expect(outcome([over]) == [.end(.malformed)])
    }

    @Test("Before authentication at most two messages' worth is ever kept, whatever is sent")
    func unauthenticatedMemory() {
        var random = SeededRandom(seed: .random(in: 1...(.max)))
        for _ in 0..<300 {
            var link = SegmentedLink(mtu: 517)
            if random.oneIn(2) { _ = link.handle(.receive, now: .zero) }
            var ended = false
            for _ in 0..<64 {
                let first = random.oneIn(2)
                let payload = random.bytes(1 + random.below(240))
                let segment = data(
                    UInt8(random.below(32)), total: first ? random.below(513) : nil, last: random.oneIn(3), payload)
                for case .end in link.handle(.segment(segment), now: .zero) { ended = true }
                #expect(link.keptBytes <= 1_024)
                if ended { break }
            }
        }
    }

    @Test("A gap ends the link after two seconds, though other segments keep coming")
    func gap() {
        var link = reader(limit: 65_536)
        _ = link.handle(.segment(data(1, [1])), now: .seconds(1))
        #expect(link.deadline == .seconds(3))
        for number in 2..<20 {
            _ = link.handle(.segment(data(UInt8(number), [1])), now: .seconds(1) + .milliseconds(number * 100))
        }
        #expect(link.deadline == .seconds(3))
        #expect(link.handle(.timer, now: .milliseconds(2_999)) == [])
        #expect(link.handle(.timer, now: .seconds(3)) == [.end(.gapTimedOut)])
        #expect(link.handle(.segment(data(0, total: 1, last: true, [1])), now: .seconds(3)) == [])
        #expect(link.deadline == nil)
    }

    @Test("A gap that closes in time leaves the link alone")
    func gapCloses() {
        var link = reader()
        _ = link.handle(.segment(data(1, last: true, [2])), now: .seconds(1))
        #expect(link.handle(.segment(data(0, total: 2, [1])), now: .milliseconds(2_900)) == [.deliver([1, 2])])
        #expect(link.deadline == nil)
        #expect(link.handle(.timer, now: .seconds(9)) == [])
    }

    @Test("Half a message ends the link after two seconds of silence")
    func staleMessage() {
        var link = reader()
        _ = link.handle(.segment(data(0, total: 3, [1])), now: .seconds(1))
        _ = link.handle(.segment(data(1, [2])), now: .seconds(2))
        #expect(link.deadline == .seconds(4))
        #expect(link.handle(.timer, now: .seconds(4)) == [.end(.staleMessage)])
    }

    @Test("Half a message is nobody's fault while the reader itself holds the sender back")
    func heldBackMessage() {
        var link = SegmentedLink(mtu: 247, messageLimit: 65_536)
        _ = link.handle(.segment(data(0, total: 100, [1])), now: .zero)
        for number in 1..<32 { _ = link.handle(.segment(data(UInt8(number), [1])), now: .zero) }
        #expect(link.deadline == nil)
        // The reader's request opens the window. The sender's time limit starts at that moment.
        let actions = link.handle(.receive, now: .seconds(60))
        #expect(actions == [.transmit(unhex("100020"))])
        #expect(link.deadline == .seconds(62))
    }

    @Test("A flood of questions is answered four times a second, and costs no memory")
    func probeFlood() {
        var link = reader()
        var answers = 0
        for millisecond in 0..<1_000 {
            answers += link.handle(.segment([0x18, 0, 0]), now: .milliseconds(millisecond)).count
        }
        #expect(answers == 4)
        #expect(link.keptBytes == 0)
    }

    @Test("No two bytes at the start of a segment make the parser do anything but answer or refuse")
    func everyHead() {
        let link = reader()
        for head in 0...0xFFFF {
            for tail in [0, 2, 5] {
                var link = link
                let segment = [UInt8(head >> 8), UInt8(head & 0xFF)] + [UInt8](repeating: 0, count: tail)
                let actions = link.handle(.segment(segment), now: .zero)
                let isSound = actions.count <= 1 && ((try? Segment(parsing: segment))?.bytes ?? segment) == segment
                if !isSound { Issue.record("\(hex(segment)): \(actions)") }
            }
        }
    }

    @Test("Random segments, reordered and changed, never break a bound")
    func randomChanges() {
        let seed = UInt64.random(in: 1...(.max))
        print("random changes: seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<400 {
            var sender = SegmentedLink(mtu: 23 + random.below(495))
            var link = reader(limit: 4_096)
            var segments: [[UInt8]] = []
            for case .transmit(let segment) in sender.handle(.send(random.bytes(random.below(4_000))), now: .zero) {
                segments.append(segment)
            }
            for _ in 0..<40 {
                guard var segment = segments.randomElement(using: &random) else { break }
                if random.oneIn(3), !segment.isEmpty { segment[random.below(segment.count)] ^= 1 << random.below(8) }
                if random.oneIn(9) { segment = random.bytes(random.below(250)) }
                _ = link.handle(.segment(segment), now: .zero)
                #expect(link.keptBytes <= 2 * 4_096)
            }
        }
    }
}
