import Links
import PhoneMessages
import Secrets
import SecureChannel
import Testing

@testable import AgentCore

@Suite("The box's end of a phone's link")
struct BoxEndTests {
    private let bench: BoxEndBench

    init() throws { bench = try BoxEndBench() }

    private var isProved: Bool { bench.told.contains { if case .proved = $0 { true } else { false } } }

    // MARK: Handshake

    @Test("A phone is told of only when its first transport message has decrypted, and heard once it is admitted")
    func proof() throws {
        try bench.phone.start(bench.keys, now: bench.now)
        bench.carry()
        #expect(bench.finds == 1 && bench.told.isEmpty && bench.phone.handshakeHash.isEmpty)
        bench.feed(.found(Sample.sheet().record))
        #expect(bench.phone.handshakeHash.count == 32 && bench.reads == 0)
        try bench.phone.hello(bench.now)
        bench.carry()
        #expect(bench.reads == 1 && !isProved)
        bench.feed(.read(Sample.sheet()))
        #expect(isProved)
        bench.feed(.heard)
        #expect(bench.asked.isEmpty)
        bench.feed(.admit)
        #expect(bench.asked == [1])
    }

    @Test("An unknown key, and a revoked one, end with a closed link and no answer")
    func unknownKey() throws {
        for record in [nil, Sample.record(state: .revoked)] {
            let bench = try BoxEndBench()
            try bench.phone.start(bench.keys, now: bench.now)
            bench.carry()
            bench.feed(.found(record))
            // An agent whose box has no site ends the link of an unknown key.
            if record == nil { bench.feed(.end(.unknownDevice, lastWords: nil, within: .seconds(2))) }
            #expect(bench.closed == .unknownDevice)
            #expect(bench.phone.handshakeHash.isEmpty)
        }
    }

    @Test("What is no first message, and a handshake for another box, end the link without an answer")
    func malformed() throws {
        bench.phone.put([1, 2, 3], bench.now)
        bench.carry()
        #expect(bench.closed == .handshakeMalformed)
        let other = try BoxEndBench()
        try other.phone.start(bench.keys, now: other.now)
        other.carry()
        #expect(other.closed == .handshakeRefused)
    }

    @Test("A phone that wants the site document gets it without a handshake, and nothing else on that link")
    func siteDocument() throws {
        for shown in [nil, [UInt8](repeating: 7, count: 818)] {
            let bench = try BoxEndBench()
            bench.phone.put(DocumentRequest(showing: shown).bytes, bench.now)
            bench.carry()
            guard case .wantsDocument(let told)? = bench.told.first else {
                return #expect(Bool(false), "\(bench.told)")
            }
            #expect(told == shown && bench.finds == 0)
            bench.feed(.heard)
            bench.feed(.show([UInt8](repeating: 9, count: 818)))
            // The box's end of the link ignores all later messages.
            bench.phone.put([1, 2, 3], bench.now)
            bench.carry()
            #expect(bench.closed == nil && bench.told.count == 1)
            bench.wait(.seconds(5))
            #expect(bench.closed == .handshakeTimedOut)
        }
        for length in [161, 819] {
            let bench = try BoxEndBench()
            bench.phone.put([3] + [UInt8](repeating: 7, count: length), bench.now)
            bench.carry()
            #expect(bench.closed == .handshakeMalformed)
        }
    }

    @Test("A link that says nothing ends in five seconds, one that proves nothing fifteen after the handshake")
    func deadlines() throws {
        #expect(bench.end.deadline == bench.now + .seconds(5))
        bench.wait(.milliseconds(4_999))
        #expect(bench.closed == nil)
        bench.wait(.milliseconds(1))
        #expect(bench.closed == .handshakeTimedOut)
        let other = try BoxEndBench()
        try other.phone.start(other.keys, now: other.now)
        other.carry()
        other.feed(.found(Sample.sheet().record))
        other.wait(.milliseconds(14_999))
        #expect(other.closed == nil)
        other.wait(.milliseconds(1))
        #expect(other.closed == .notAuthenticated)
    }

    @Test("A replayed message 1 proves nobody: the first transport message does not decrypt")
    func replay() throws {
        try bench.phone.start(bench.keys, now: bench.now)
        let segments = bench.phone.takeSegments()
        for segment in segments { bench.feed(.segment(segment)) }
        let second = BoxEnd(bench.keys, binding: BoxEndBench.binding, limits: BoxEndBench.limits, now: bench.now)
        for segment in segments { _ = second.handle(.segment(segment), now: bench.now) }
        _ = second.handle(.found(Sample.sheet().record), now: bench.now)
        for _ in 0..<2 { _ = second.handle(.written, now: bench.now) }
        // A message of 20 bytes in one segment, the third of the link.
        let guess = [0xC0, 2, 0, 20] + [UInt8](repeating: 7, count: 20)
        let actions = second.handle(.segment(guess), now: bench.now)
        guard actions.count == 1, case .close(.notAuthenticated)? = actions.first else { throw Surprise() }
    }

    @Test("A device that was revoked while it shook hands is not told of")
    func revokedMeanwhile() throws {
        try bench.phone.start(bench.keys, now: bench.now)
        bench.carry()
        bench.feed(.found(Sample.sheet().record))
        try bench.phone.hello(bench.now)
        bench.carry()
        bench.feed(.read(nil))
        #expect(!isProved && bench.closed == .revoked && bench.phone.isClosed)
    }

    @Test("A vault that cannot be read admits nobody")
    func vaultFails() throws {
        try bench.phone.start(bench.keys, now: bench.now)
        bench.carry()
        bench.feed(.vaultFailed)
        #expect(bench.closed == .vaultUnavailable)
    }

    @Test("What does not begin with hello ends the channel with a close message")
    func noHello() throws {
        try bench.phone.start(bench.keys, now: bench.now)
        bench.carry()
        bench.feed(.found(Sample.sheet().record))
        try bench.ask(1, .status)
        bench.feed(.read(Sample.sheet()))
        bench.feed(.admit)
        bench.feed(.heard)
        #expect(bench.closed == .protocolViolation && bench.phone.isClosed && bench.asked.isEmpty)
    }

    // MARK: Enrolment

    private static let code = (id: [UInt8](repeating: 3, count: 8), psk: HeldSecret(SecretBytes(randomCount: 32)))

    @Test("An enrolment shakes hands only with the secret that the agent gives, and proves itself by it")
    func enrolment() throws {
        try bench.phone.start(bench.keys, code: Self.code, now: bench.now)
        bench.carry()
        guard case .triesCode(Self.code.id)? = bench.told.first else { throw Surprise() }
        #expect(bench.finds == 0)
        bench.feed(.give(Self.code.psk))
        bench.feed(.heard)
        guard case .codeFitted? = bench.told.last else { throw Surprise() }
        #expect(bench.phone.handshakeHash.isEmpty)
        bench.feed(.heard)
        #expect(bench.phone.handshakeHash.count == 32)
        try bench.phone.hello(bench.now)
        bench.carry()
        bench.feed(.found(nil))
        guard case .provedCode(_, let hash, let nonce, isEnrolled: false)? = bench.told.last else { throw Surprise() }
        #expect(hash == bench.phone.handshakeHash && nonce.count == 32)
    }

    @Test("Another secret than the phone's does not fit")
    func wrongCode() throws {
        try bench.phone.start(bench.keys, code: Self.code, now: bench.now)
        bench.carry()
        bench.feed(.heard)
        bench.feed(.give(HeldSecret(SecretBytes(randomCount: 32))))
        #expect(bench.closed == .handshakeRefused && bench.told.count == 1)
    }

    private struct Surprise: Error {}

    // MARK: Messages

    @Test("The next request is looked at when the agent has dealt with the one before")
    func oneByOne() throws {
        try bench.connect()
        try bench.ask(2, .status)
        try bench.ask(3, .status)
        #expect(bench.asked == [1, 2])
        bench.feed(.heard)
        #expect(bench.asked == [1, 2, 3])
    }

    @Test("Who reads nothing is asked nothing: the next request waits until eight answers do")
    func heldBack() throws {
        try bench.connect()
        bench.takesSegments = false
        for number in UInt32(2)...12 {
            try bench.ask(number, .status)
            bench.feed(.say(.result(testRequest(number), .correct, .none)))
            bench.feed(.heard)
        }
        // One answer is at the radio and nine wait, so the end does not pass on the next request.
        #expect(bench.asked == Array(1...11))
        bench.takesSegments = true
        bench.feed(.written)
        #expect(bench.asked.last == 12)
    }

    @Test("Pings are answered by the end itself, when they may be and nothing else is on its way")
    func pings() throws {
        try bench.connect()
        try bench.ask(2, .ping([1, 2, 3]))
        try bench.ask(3, .status)
        #expect(bench.pings == [3] && bench.asked == [1])
        bench.feed(.mayPing)
        guard case .pong(_, [1, 2, 3])? = bench.phone.heard.last else { throw Surprise() }
        #expect(bench.asked == [1, 3])
    }

    @Test("A silenced phone's requests are not looked at, and it is told the last words only")
    func muted() throws {
        try bench.connect()
        bench.feed(.mute)
        bench.feed(.say(.result(testRequest(9), .correct, .none)))
        try bench.ask(2, .lock)
        #expect(bench.asked == [1])
        bench.feed(.end(.revoked, lastWords: .revoked, within: .seconds(2)))
        guard bench.phone.heard.count == 1, case .revoked? = bench.phone.heard.last else { throw Surprise() }
        #expect(bench.phone.isClosed && bench.closed == .revoked)
    }

    @Test("Silenced before it is admitted, a phone's first request is not looked at either")
    func mutedBeforeAdmission() throws {
        try bench.prove()
        bench.feed(.mute)
        bench.feed(.admit)
        bench.feed(.heard)
        #expect(bench.asked.isEmpty)
    }

    @Test("What does not decrypt ends the channel")
    func garbage() throws {
        try bench.connect()
        bench.phone.put([UInt8](repeating: 1, count: 50), bench.now)
        bench.carry()
        #expect(bench.closed == .protocolViolation)
    }

    @Test("A channel is over when nothing came for fifteen minutes, and says goodbye")
    func idle() throws {
        try bench.connect()
        bench.wait(.seconds(899))
        #expect(bench.closed == nil)
        bench.takesSegments = false
        bench.wait(.seconds(1))
        #expect(bench.closed == nil && bench.held.count == 1)
        bench.feed(.written)
        #expect(bench.closed == .expired)
    }

    // MARK: The end

    @Test("Last words that the radio does not take are cut off at their limit")
    func farewell() throws {
        try bench.connect()
        bench.takesSegments = false
        bench.feed(.end(.replaced, lastWords: nil, within: .seconds(2)))
        #expect(bench.closed == nil)
        bench.wait(.milliseconds(1_999))
        #expect(bench.closed == nil)
        bench.wait(.milliseconds(1))
        #expect(bench.closed == .replaced)
    }

    @Test("A message that the radio does not take in thirty seconds ends the link")
    func stalledRadio() throws {
        try bench.connect()
        bench.takesSegments = false
        bench.feed(.say(.result(testRequest(9), .correct, .none)))
        bench.wait(.milliseconds(29_999))
        #expect(bench.closed == nil)
        bench.wait(.milliseconds(1))
        #expect(bench.closed == .linkClosed)
    }

    @Test("More than may wait for a phone ends its channel at once")
    func outboxFull() throws {
        try bench.connect()
        bench.takesSegments = false
        for _ in 0...PhoneOutbox.messageLimit + 1 { bench.feed(.say(.result(testRequest(9), .correct, .none))) }
        #expect(bench.closed == .outboxFull)
    }

    @Test("What arrived whole before the link was lost still counts")
    func wholeBeforeTheEnd() throws {
        try bench.connect()
        try bench.ask(2, .reportSignal(dBm: -50))
        try bench.ask(3, .reportSignal(dBm: -50))
        bench.feed(.linkDown)
        #expect(bench.asked == [1, 2] && bench.closed == nil)
        bench.feed(.heard)
        #expect(bench.asked == [1, 2, 3])
        bench.feed(.heard)
        #expect(bench.closed == .linkClosed)
    }

    @Test("A segment that breaks a rule ends the link at once, whatever is waited for: the vault, or the agent")
    func brokenRule() throws {
        let broken = BoxEndEvent.segment([0xFF, 0xFF])
        let finding = try BoxEndBench()
        try finding.phone.start(finding.keys, now: finding.now)
        finding.carry()
        finding.feed(broken)
        #expect(finding.finds == 1 && finding.closed == .linkClosed && finding.end.deadline == nil)
        let reading = try BoxEndBench()
        try reading.phone.start(reading.keys, now: reading.now)
        reading.carry()
        reading.feed(.found(Sample.sheet().record))
        try reading.phone.hello(reading.now)
        reading.carry()
        reading.feed(broken)
        #expect(reading.reads == 1 && reading.closed == .linkClosed)
        reading.feed(.read(Sample.sheet()))
        #expect(reading.told.isEmpty)
        try bench.connect()
        try bench.ask(2, .lock)
        bench.feed(broken)
        #expect(bench.asked == [1, 2] && bench.closed == .linkClosed)
    }

    @Test("An answer to a phone whose link is lost ends the channel")
    func answerToNobody() throws {
        try bench.connect()
        try bench.ask(2, .lock)
        bench.feed(.linkDown)
        bench.feed(.say(.result(testRequest(2), .correct, .none)))
        #expect(bench.closed == .linkClosed)
    }

    @Test("A link that is lost while its last words leave is closed at once")
    func lostAtTheEnd() throws {
        try bench.connect()
        bench.takesSegments = false
        bench.feed(.end(.replaced, lastWords: nil, within: .seconds(2)))
        bench.feed(.linkDown)
        #expect(bench.closed == .replaced)
    }

    @Test("A flood that nobody asked for is bounded, and a phone that acknowledges nothing as well")
    func bounds() throws {
        try bench.connect()
        bench.takesSegments = false
        for number in UInt32(2)...60 where bench.closed == nil {
            try bench.ask(number, .ping([UInt8](repeating: 0, count: 4_000)))
        }
        #expect(bench.end.kept.bytes <= 2 * LinkLimits.messageBytes && bench.end.kept.segments <= 64)
    }
}
