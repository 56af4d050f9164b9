import GATTProfile
import Testing

@testable import Links

@Suite("Segmented links, by random runs")
struct SegmentedLinkTests {
    /// The most that a receiver may keep: a window of the largest segments, and one message.
    static let keptLimitBytes = Segmentation.windowSegments * 242 + Segmentation.messageBytes

    private func random(_ name: String) -> SeededRandom {
        let seed = UInt64.random(in: 1...(.max))
        print("\(name): seed \(seed)")
        return SeededRandom(seed: seed)
    }

    private func size(_ random: inout SeededRandom) -> Int {
        switch random.below(5) {
        case 0: random.below(3)
        case 1: random.below(600)
        case 2, 3: random.below(8_000)
        default: Segmentation.messageBytes - random.below(2)
        }
    }

    @Test("Messages of every size arrive whole, in order and once, both ways at once, at every MTU and in any disorder")
    func arrive() {
        var random = random("arrive")
        for round in 0..<40 {
            let link = VirtualLink(mtus: [23 + random.below(495), 23 + random.below(495)], random: random)
            // A duplicate that arrives more than a window late is refused, so duplicates run with little reordering.
            (link.reorder, link.duplicatesOneIn) = [(0, 10), (12, 10), (40, 0), (10_000, 0)][round % 4]
            link.asksOneIn = [1, 20][round / 4 % 2]
            link.ends[0].toSend = (0..<random.below(6)).map { _ in random.bytes(size(&random)) }
            link.ends[1].toSend = (0..<random.below(6)).map { _ in random.bytes(size(&random)) }
            let sent = link.ends.map(\.toSend)
            #expect(link.run(), "livelock in round \(round)")
            for index in 0...1 {
                #expect(link.ends[index].ended == nil, "round \(round)")
                let same = link.ends[1 - index].received == sent[index]
                #expect(same, "round \(round)")
                #expect(link.ends[index].mostKeptBytes <= Self.keptLimitBytes)
                #expect(link.ends[index].machine.keptBytes == 0)
                #expect(link.ends[index].machine.pendingBytes == 0)
            }
            // Without loss, nothing waits for time to pass.
            #expect(link.now == .zero)
            random = link.random
        }
    }

    @Test("Lost acknowledgements cost time, never a message and never the link")
    func lostAcknowledgements() {
        var random = random("lost acknowledgements")
        for _ in 0..<5 {
            let link = VirtualLink(mtus: [23, 185], random: random)
            link.losesControl = true
            link.ends[0].toSend = [random.bytes(20_000), random.bytes(1)]
            let sent = link.ends[0].toSend
            #expect(link.run())
            #expect(link.ends.map(\.ended) == [nil, nil])
            let same = link.ends[1].received == sent
            #expect(same)
            random = link.random
        }
    }

    @Test("A lost segment of a longer message ends the link within two seconds, whichever it is")
    func lostSegment() {
        var random = random("lost segment")
        for lost in 0..<60 {
            let link = VirtualLink(mtus: [23, 23], random: random)
            link.reorder = random.below(4)
            link.ends[0].toSend = [random.bytes(16 * 60 - 2)]
            link.ends[0].losesData = [lost]
            #expect(link.run())
            let end = link.ends[1]
            // If the last segment is lost, no later segment reveals the gap.
            #expect(end.ended == (lost < 59 ? .gapTimedOut : .staleMessage), "segment \(lost)")
            #expect(end.endedAt.map { $0 - end.lastArrival <= Segmentation.gapLimit } == true)
            #expect(end.received.isEmpty)
            random = link.random
        }
    }

    @Test("A reader that asks for nothing holds the sender back within one window, and goes on when it asks")
    func heldBack() {
        let link = VirtualLink(mtus: [185, 185], random: random("held back"))
        link.ends[1].isAsking = true
        link.asksOneIn = .max
        link.ends[0].isAsking = true
        let messages = (0..<200).map { [UInt8]([UInt8(truncatingIfNeeded: $0)]) }
        link.ends[0].toSend = messages
        link.perform(.receive, at: 1)
        for _ in 0..<5_000 where !link.step() {}
        #expect(link.ends[1].received == [[0]])
        #expect(link.ends[0].dataSegments == Segmentation.windowSegments)
        #expect(link.ends[1].machine.keptBytes <= Segmentation.windowSegments)
        link.asksOneIn = 1
        link.ends[1].isAsking = false
        #expect(link.run())
        let same = link.ends[1].received == messages
        #expect(same)
    }

    @Test("A sender that is held back for thirty seconds gives the link up, and asks about twice a second until then")
    func stalled() {
        let link = VirtualLink(mtus: [185, 185], random: random("stalled"))
        link.asksOneIn = .max
        link.ends[0].isAsking = true
        link.ends[1].isAsking = true
        link.ends[0].toSend = (0..<50).map { [UInt8($0)] }
        while link.ends[0].ended == nil {
            while !link.ends[0].air.isEmpty || !link.ends[1].air.isEmpty { _ = link.step() }
            guard link.step() || link.passTime() else { break }
        }
        #expect(link.ends[0].ended == .stalled)
        #expect(link.now >= Segmentation.stallLimit && link.now <= Segmentation.stallLimit + .seconds(1))
        #expect((55...62).contains(link.ends[0].controlSegments))
        #expect(link.ends[1].controlSegments <= link.ends[0].controlSegments)
    }

    @Test("A message takes exactly the packets its bytes need, and within a window none is spent on acknowledging")
    func packetCount() {
        var random = random("packet count")
        for mtu in [23, 24, 50, 185, 247, 517] {
            let room = min(mtu - 3, 244) - LinkTag.byteCount - 2
            for bytes in [0, 1, room - 2, room - 1, room, 2 * room - 2, 2 * room - 1, 32 * room - 2] {
                let link = VirtualLink(mtus: [mtu, mtu], random: random)
                link.ends[0].toSend = [random.bytes(bytes)]
                #expect(link.run())
                #expect(link.ends[1].received.count == 1)
                // The first segment has two bytes of length.
                let needed = max(1, (bytes + 2 + room - 1) / room)
                #expect(link.ends[0].dataSegments == needed, "\(bytes) bytes at \(mtu)")
                if needed < Segmentation.ownAcknowledgementSegments { #expect(link.ends[1].controlSegments == 0) }
                #expect(link.ends[1].controlSegments <= needed / Segmentation.ownAcknowledgementSegments)
            }
            random = SeededRandom(seed: random.next())
        }
    }

    @Test("Questions and answers go to and fro a thousand times without one packet of their own for acknowledgement")
    func piggyback() {
        for mtu in [23, 185] {
            let link = VirtualLink(mtus: [mtu, mtu], random: random("piggyback"))
            for round in 0..<1_000 {
                link.ends[0].toSend = [[UInt8](repeating: 1, count: 40)]
                #expect(link.run())
                link.ends[1].toSend = [[UInt8](repeating: 2, count: 60)]
                #expect(link.run())
                #expect(link.ends[0].received.count == round + 1)
            }
            #expect(link.ends.map(\.controlSegments) == [0, 0])
            #expect(link.now == .zero)
        }
    }

    @Test("The window's numbers wrap round many times in one direction while the other is silent")
    func sequenceWrap() {
        let link = VirtualLink(mtus: [23, 23], random: random("wrap"))
        link.reorder = 31
        let message = link.random.bytes(Segmentation.messageBytes)
        // Each message has 3,641 segments, so the 16-bit acknowledgement wraps as well.
        link.ends[0].toSend = Array(repeating: message, count: 20)
        #expect(link.run(steps: 2_000_000))
        #expect(link.ends[1].received.count == 20)
        #expect(link.ends[1].received.allSatisfy { $0 == message })
        #expect(link.ends[0].dataSegments > 65_536)
    }

    @Test("A message that follows the one which raised the limit is taken, even when it was there before")
    func limitRaisedInTime() {
        var phone = SegmentedLink(mtu: 247)
        var box = SegmentedLink(mtu: 247)
        func segments(_ actions: [SegmentedLink.Action]) -> [[UInt8]] {
            actions.compactMap { if case .transmit(let segment) = $0 { segment } else { nil } }
        }
        let hello = [UInt8](repeating: 1, count: 60)
        let login = [UInt8](repeating: 2, count: 620)
        #expect(box.handle(.receive, now: .zero).isEmpty)
        let under = segments(phone.handle(.send(hello), now: .zero)) + segments(phone.handle(.send(login), now: .zero))
        var delivered: [SegmentedLink.Action] = []
        for segment in under { delivered += box.handle(.segment(segment), now: .zero) }
        #expect(delivered == [.deliver(hello)])
        box.raiseMessageLimit(to: Segmentation.messageBytes)
        #expect(box.handle(.receive, now: .zero) == [.deliver(login)])
    }

    @Test("What waits to be sent is bounded, and a message over the bound is refused before it is taken")
    func queueBound() {
        var link = SegmentedLink(mtu: 23)
        var taken = 0
        while link.canSend(40_000) {
            _ = link.handle(.send([UInt8](repeating: 0, count: 40_000)), now: .zero)
            taken += 1
            if taken > 10 { break }
        }
        #expect(taken == 1)
        #expect(link.pendingBytes <= Segmentation.queueBytes)
        #expect(!SegmentedLink(mtu: 23).canSend(Segmentation.messageBytes + 1))
        let tooLong = [UInt8](repeating: 0, count: Segmentation.messageBytes + 1)
        var other = SegmentedLink(mtu: 23)
        #expect(other.handle(.send(tooLong), now: .zero) == [.end(.tooLarge)])
    }
}
