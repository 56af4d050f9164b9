@testable import Links
import Testing

@testable import AgentCore

@Suite("Messages over a link's segments")
struct MessageFlowTests {
    /// A segment without a message, which only shows that the box is there.
    private static let greeting = Segment.control(acknowledged: 0, asks: false).bytes

    private func flow(segmentBytes: Int = 18, messageLimit: Int = 512) -> MessageFlow {
        MessageFlow(
            limits: SegmentLimits(sentBytes: segmentBytes, receivedBytes: 242), messageLimit: messageLimit)
    }

    /// Returns the segments of messages, as a phone sends them after it has heard from the box.
    private func segments(_ messages: [[UInt8]]) -> [[UInt8]] {
        var phone = SegmentedLink(limits: SegmentLimits(sentBytes: 18, receivedBytes: 242))
        _ = phone.handle(.segment(Self.greeting), now: .zero)
        return messages.flatMap { message in
            phone.handle(.send(message), now: .zero).compactMap {
                if case .transmit(let segment) = $0 { segment } else { nil }
            }
        }
    }

    @Test("Messages are given out one by one, and those that arrived whole before the end come before the end")
    func oneByOne() {
        var flow = flow()
        #expect(flow.ask(now: .zero) == nil)
        var given: [[UInt8]] = []
        for segment in segments([[1], [UInt8](repeating: 2, count: 100), [3]]) {
            if let message = flow.receive(segment, now: .zero) { given.append(message) }
        }
        #expect(given == [[1]])
        flow.linkIsDown()
        #expect(flow.ask(now: .zero)?.count == 100)
        #expect(flow.ask(now: .zero) == [3])
        #expect(flow.ask(now: .zero) == nil)
    }

    @Test("A message is written when the radio has taken the whole of it, not before")
    func written() {
        var flow = flow()
        _ = flow.receive(Self.greeting, now: .zero)
        flow.send([UInt8](0..<40), now: .zero)
        #expect(flow.takeSegments() == segments([[UInt8](0..<40)]) && flow.unwrittenCount == 3)
        for _ in 0..<2 { flow.written() }
        #expect(flow.isWriting)
        flow.written()
        #expect(!flow.isWriting && !flow.isDown)
    }

    @Test("A radio that takes nothing ends the link after thirty seconds")
    func stalledRadio() {
        var flow = flow()
        _ = flow.receive(Self.greeting, now: .zero)
        flow.send([UInt8](0..<40), now: .zero)
        flow.written()
        flow.timeHasCome(now: .milliseconds(29_999))
        #expect(!flow.isDown && flow.deadline.map { $0 <= .seconds(30) } == true)
        flow.timeHasCome(now: .seconds(30))
        #expect(flow.isDown && flow.deadline == nil && flow.takeSegments().isEmpty)
    }

    @Test("A gap ends the link by the clock alone, after two seconds")
    func gap() {
        var flow = flow()
        _ = flow.ask(now: .zero)
        for segment in segments([[UInt8](0..<100)]).dropFirst() { _ = flow.receive(segment, now: .zero) }
        #expect(flow.keptBytes > 0 && flow.deadline == .seconds(2))
        flow.timeHasCome(now: .milliseconds(1_999))
        #expect(!flow.isDown)
        flow.timeHasCome(now: .seconds(2))
        #expect(flow.isDown)
    }

    @Test("A segment that breaks a rule ends the link, and what comes behind it is not heard")
    func brokenRule() {
        var flow = flow()
        _ = flow.ask(now: .zero)
        #expect(flow.receive([0xFF, 0xFF], now: .zero) == nil)
        #expect(flow.isDown)
        for segment in segments([[1]]) { #expect(flow.receive(segment, now: .zero) == nil) }
    }

    @Test("A longer message than may be received ends the link; a longer one than may be sent, too")
    func tooLong() {
        var receiving = flow(messageLimit: 50)
        _ = receiving.ask(now: .zero)
        for segment in segments([[UInt8](repeating: 1, count: 51)]) { _ = receiving.receive(segment, now: .zero) }
        #expect(receiving.isDown)
        var raised = flow(messageLimit: 50)
        raised.raiseMessageLimit(to: 51)
        _ = raised.ask(now: .zero)
        let given = segments([[UInt8](repeating: 1, count: 51)]).compactMap { raised.receive($0, now: .zero) }
        #expect(given.map(\.count) == [51] && !raised.isDown)
        var sending = flow()
        sending.send([UInt8](repeating: 0, count: Segmentation.messageBytes + 1), now: .zero)
        #expect(sending.isDown)
    }

    @Test("What the radio has not taken is bounded: a phone that asks again and again ends the link")
    func unwritten() {
        var flow = flow()
        let asking = Segment.control(acknowledged: 0, asks: true).bytes
        var now = Duration.zero
        var most = 0
        for _ in 0..<1_000 where !flow.isDown {
            _ = flow.receive(asking, now: now)
            most = max(most, flow.unwrittenCount)
            now += Segmentation.probeAnswerInterval
        }
        #expect(flow.isDown && most == 2 * Segmentation.windowSegments)
    }
}
