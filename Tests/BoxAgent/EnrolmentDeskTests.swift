import PhoneMessages
import Secrets
import Testing

@testable import BoxAgent

@Suite("The enrolment desk")
struct EnrolmentDeskTests {
    private let code: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    private func order(confirmed: Bool = false) -> EnrolmentOrder {
        EnrolmentOrder(user: Array("alice".utf8), label: [], boxHeld: false, confirmed: confirmed)
    }

    private func contact(_ channel: UInt64) -> EnrolmentContact {
        EnrolmentContact(
            channel: ChannelID(number: channel), request: testRequest(1),
            publicKey: [UInt8](repeating: UInt8(channel), count: 32), digits: Array("123456".utf8),
            phoneName: Array("phone".utf8))
    }

    private func opened(confirmed: Bool = false) -> EnrolmentDesk {
        var desk = EnrolmentDesk()
        let secret = HeldSecret(SecretBytes(randomCount: 32))
        let begun = desk.begin(order(confirmed: confirmed), codeID: code, psk: secret, expires: .seconds(600))
        #expect(begun)
        return desk
    }

    @Test("The device becomes active when the administrator has compared the digits")
    func confirmed() {
        var desk = opened()
        #expect(
            desk.handle(.contact(contact(1)), now: .seconds(5)) == [.tellPending(contact(1)), .showDigits(contact(1))])
        #expect(
            desk.handle(.administratorConfirms(digits: contact(1).digits), now: .seconds(9)) == [
                .activate(contact(1), order())
            ])
        #expect(!desk.isOpen)
    }

    @Test("Without comparison the first phone with the code becomes active at once")
    func unattended() {
        var desk = opened(confirmed: true)
        #expect(desk.handle(.contact(contact(1)), now: .seconds(5)) == [.activate(contact(1), order(confirmed: true))])
    }

    @Test("A code works once")
    func once() {
        var desk = opened(confirmed: true)
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(desk.secret(for: code, now: .zero) == nil)
        #expect(desk.handle(.contact(contact(2)), now: .zero) == [.refusePhone(contact(2), .timedOut)])
    }

    @Test("A code ends with its time, whoever is in the middle of it")
    func expired() {
        var desk = opened()
        #expect(desk.secret(for: code, now: .seconds(599)) != nil)
        #expect(desk.secret(for: code, now: .seconds(600)) == nil)
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(desk.handle(.timer, now: .seconds(599)) == [])
        #expect(desk.handle(.timer, now: .seconds(600)) == [.refusePhone(contact(1), .timedOut), .tellExpired])
        #expect(!desk.isOpen)
    }

    @Test("A wrong code finds no secret and changes nothing")
    func wrongCode() {
        let desk = opened()
        #expect(desk.secret(for: [0, 0, 0, 0, 0, 0, 0, 0], now: .zero) == nil)
        #expect(desk.isOpen)
    }

    @Test("A phone that vanishes before it is confirmed takes its code with it: nobody else's yes is waiting")
    func vanished() {
        var desk = opened()
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(desk.handle(.channelClosed(ChannelID(number: 2)), now: .zero) == [])
        #expect(desk.handle(.channelClosed(ChannelID(number: 1)), now: .zero) == [.tellPhoneLost])
        #expect(!desk.isOpen)
        #expect(desk.secret(for: code, now: .zero) == nil)
        #expect(desk.handle(.contact(contact(3)), now: .zero) == [.refusePhone(contact(3), .timedOut)])
        #expect(desk.handle(.administratorConfirms(digits: contact(1).digits), now: .zero) == [])
    }

    @Test("A yes about other digits than those of the phone that waits enrols nobody, and closes the enrolment")
    func otherDigits() {
        var desk = opened()
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(
            desk.handle(.administratorConfirms(digits: Array("654321".utf8)), now: .zero)
                == [.refusePhone(contact(1), .notAllowed), .tellOtherDigits])
        #expect(!desk.isOpen)
        var early = opened()
        #expect(early.handle(.administratorConfirms(digits: []), now: .zero) == [.tellOtherDigits])
    }

    @Test("A second phone with the same code cannot push the first one out")
    func second() {
        var desk = opened()
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(desk.handle(.contact(contact(2)), now: .zero) == [.refusePhone(contact(2), .busy)])
        #expect(
            desk.handle(.administratorConfirms(digits: contact(1).digits), now: .zero) == [
                .activate(contact(1), order())
            ])
    }

    @Test("What the administrator declines, or walks away from, never becomes a device")
    func declined() {
        var desk = opened()
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(
            desk.handle(.administratorDeclines, now: .zero) == [.refusePhone(contact(1), .notAllowed), .tellDeclined])
        var left = opened()
        _ = left.handle(.contact(contact(1)), now: .zero)
        #expect(left.handle(.administratorLeft, now: .zero) == [.refusePhone(contact(1), .cancelled)])
        #expect(!left.isOpen)
    }

    @Test("One enrolment is open at a time")
    func oneAtATime() {
        var desk = opened()
        let secret = HeldSecret(SecretBytes(randomCount: 32))
        let begun = desk.begin(order(), codeID: [9], psk: secret, expires: .seconds(900))
        #expect(!begun)
        #expect(desk.secret(for: code, now: .zero) != nil)
    }
}

@Suite("Limits on phones that have not proved anything")
struct AdmissionTests {
    @Test("Five tries pass at once, then five a second, and what would wait too long is refused")
    func limiter() {
        var limiter = AttemptLimiter(rate: 5, now: .zero)
        let turns = (0..<30).map { _ in limiter.reserve(now: .zero) }
        #expect(turns.prefix(5).allSatisfy { $0 == .zero })
        #expect(turns[5] == .milliseconds(200))
        #expect(turns[9] == .seconds(1))
        #expect(turns[19] == .seconds(3))
        #expect(turns[20...].allSatisfy { $0 == nil })
        #expect(limiter.reserve(now: .seconds(10)) == .seconds(10), "time brings new tries")
    }

    @Test("A right try costs nothing")
    func rightTry() {
        var limiter = AttemptLimiter(rate: 1, now: .zero)
        for _ in 0..<10 {
            #expect(limiter.reserve(now: .zero) == .zero)
            limiter.refund()
        }
        #expect(limiter.reserve(now: .zero) == .zero)
        #expect(limiter.reserve(now: .zero) == .seconds(1))
    }

    @Test("Of too many half-open links the oldest gives way; authenticated ones never do")
    func halfOpen() {
        var admission = LinkAdmission(halfOpenLimit: 2)
        #expect(admission.arrived(ChannelID(number: 1), over: "a") == [])
        #expect(admission.authenticated(ChannelID(number: 1), device: [1]) == [])
        #expect(admission.arrived(ChannelID(number: 2), over: "b") == [])
        #expect(admission.arrived(ChannelID(number: 3), over: "c") == [])
        #expect(admission.arrived(ChannelID(number: 4), over: "d") == [ChannelID(number: 2)])
        #expect(admission.halfOpenCount == 2)
        #expect(admission.channels(of: [1]) == [ChannelID(number: 1)])
    }

    @Test("A phone that proved the enrolment code is pushed out by no flood of half-open links; only one such is kept")
    func enrolling() {
        var admission = LinkAdmission(halfOpenLimit: 2)
        let (phone, other) = (ChannelID(number: 1), ChannelID(number: 2))
        #expect(admission.arrived(phone, over: "a") == [])
        admission.enrolling(phone)
        #expect(admission.arrived(other, over: "b") == [])
        admission.enrolling(other)
        #expect(admission.halfOpenCount == 1, "whoever else proves the code stays half-open")
        var closed: [ChannelID] = []
        for number in 3...100 { closed += admission.arrived(ChannelID(number: UInt64(number)), over: "\(number)") }
        #expect(closed == (2...98).map { ChannelID(number: UInt64($0)) })
        admission.left(phone)
        let next = ChannelID(number: 100)
        admission.enrolling(next)
        #expect(admission.halfOpenCount == 1, "there is room for another one")
    }

    @Test("One connection that begins link after link pushes out its own, and no other phone's")
    func oneConnection() {
        var admission = LinkAdmission(halfOpenLimit: 8)
        #expect(admission.arrived(ChannelID(number: 1), over: "alice") == [])
        var closed: [ChannelID] = []
        for number in 2...1000 { closed += admission.arrived(ChannelID(number: UInt64(number)), over: "flood") }
        #expect(closed == (2...993).map { ChannelID(number: UInt64($0)) })
    }

    @Test("A device holds a bounded number of channels, and its oldest gives way")
    func perDevice() {
        var admission = LinkAdmission(halfOpenLimit: 8)
        var closed: [ChannelID] = []
        for number in 1...6 {
            closed += admission.arrived(ChannelID(number: UInt64(number)), over: "\(number)")
            closed += admission.authenticated(ChannelID(number: UInt64(number)), device: [7])
        }
        #expect(closed == [ChannelID(number: 1), ChannelID(number: 2)])
        #expect(admission.authenticatedCount == LinkAdmission.channelsPerDevice)
        for number in 1...6 { admission.left(ChannelID(number: UInt64(number))) }
        #expect(admission.authenticatedCount == 0)
    }
}
