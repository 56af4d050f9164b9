import ControlProtocol
import PhoneMessages
import Secrets
import SecureChannel
import Testing

@testable import AgentCore

@Suite("The enrolment desk")
struct EnrolmentDeskTests {
    private let code: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    private func order(confirmed: Bool = false, isWeb: Bool = false) -> EnrolmentOrder {
        EnrolmentOrder(
            EnrolmentWish(user: Array("alice".utf8), isConfirmed: confirmed, isWeb: isWeb), actor: .agent)
    }

    private static let phoneNonce = [UInt8](repeating: 7, count: 32)

    private func contact(_ channel: UInt64, request: UInt32 = 1, isWeb: Bool = false) -> EnrolmentContact {
        let hash = [UInt8](repeating: UInt8(channel), count: 32)
        return EnrolmentContact(
            channel: ChannelID(number: channel), request: testRequest(request),
            publicKey: [UInt8](repeating: UInt8(channel), count: 32), handshakeHash: hash,
            phoneName: Array("phone".utf8), isWeb: isWeb,
            commitment: EnrolmentCommitment.of(nonce: Self.phoneNonce, handshakeHash: hash),
            nonce: [UInt8](repeating: 9, count: 32))
    }

    /// The contact of `contact(channel)` with its second request, after the nonce has matched the commitment.
    private func revealed(_ channel: UInt64) -> EnrolmentContact {
        var contact = contact(channel, request: 2)
        contact.digits = EnrolmentCommitment.digits(
            handshakeHash: contact.handshakeHash, phoneNonce: Self.phoneNonce, boxNonce: contact.nonce)
        return contact
    }

    private func reveal(_ channel: UInt64, nonce: [UInt8] = Self.phoneNonce) -> EnrolmentDesk.Event {
        .revealed(ChannelID(number: channel), testRequest(2), nonce: nonce)
    }

    /// The refusal of the channel's first request.
    private func refused(_ channel: UInt64, _ code: ResultCode) -> EnrolmentDesk.Action {
        .refusePhone(ChannelID(number: channel), testRequest(1), code)
    }

    /// A desk at which the phone of this channel waits for the administrator.
    private func waiting(_ channel: UInt64) -> EnrolmentDesk {
        var desk = opened()
        #expect(desk.handle(.contact(contact(channel)), now: .zero) == [.tellNonce(contact(channel))])
        #expect(
            desk.handle(reveal(channel), now: .zero) == [
                .tellPending(revealed(channel)), .showDigits(revealed(channel)),
            ])
        return desk
    }

    private func yes(_ channel: UInt64) -> EnrolmentDesk.Event {
        .administratorConfirms(digits: revealed(channel).digits ?? [])
    }

    private func opened(confirmed: Bool = false, isWeb: Bool = false) -> EnrolmentDesk {
        var desk = EnrolmentDesk()
        let secret = HeldSecret(SecretBytes(randomCount: 32))
        let begun = desk.begin(
            order(confirmed: confirmed, isWeb: isWeb), codeID: code, psk: secret, expires: .seconds(600))
        #expect(begun)
        return desk
    }

    @Test("A page in a browser is refused by a code for another phone, and the code is void")
    func unwantedPage() {
        var desk = opened()
        #expect(
            desk.handle(.contact(contact(1, isWeb: true)), now: .zero) == [refused(1, .notAllowed), .end(.webPhone)])
        #expect(!desk.isOpen)
    }

    @Test("A code for a page is taken by a page, and by a phone that says nothing of itself", arguments: [true, false])
    func wantedPage(isWeb: Bool) {
        var desk = opened(isWeb: true)
        let page = contact(1, isWeb: isWeb)
        #expect(desk.handle(.contact(page), now: .zero) == [.tellNonce(page)])
    }

    @Test("The device becomes active when the phone has kept to its commitment and the administrator has compared")
    func confirmed() {
        var desk = waiting(1)
        #expect(desk.handle(yes(1), now: .seconds(9)) == [.activate(revealed(1), order())])
        #expect(!desk.isOpen)
    }

    @Test("Without comparison the first phone with the code becomes active once it has kept to its commitment")
    func unattended() {
        var desk = opened(confirmed: true)
        #expect(desk.handle(.contact(contact(1)), now: .seconds(5)) == [.tellNonce(contact(1))])
        #expect(desk.handle(reveal(1), now: .seconds(5)) == [.activate(revealed(1), order(confirmed: true))])
    }

    @Test("A code works once")
    func once() {
        var desk = opened(confirmed: true)
        _ = desk.handle(.contact(contact(1)), now: .zero)
        _ = desk.handle(reveal(1), now: .zero)
        #expect(desk.secret(for: code, now: .zero) == nil)
        #expect(desk.handle(.contact(contact(2)), now: .zero) == [refused(2, .timedOut)])
        #expect(
            desk.handle(reveal(2), now: .zero) == [.refusePhone(ChannelID(number: 2), testRequest(2), .timedOut)])
    }

    @Test("A code ends with its time, whoever is in the middle of it")
    func expired() {
        var desk = opened()
        #expect(desk.secret(for: code, now: .seconds(599)) != nil)
        #expect(desk.secret(for: code, now: .seconds(600)) == nil)
        _ = desk.handle(.contact(contact(1)), now: .seconds(590))
        #expect(desk.handle(.timer, now: .seconds(599)) == [])
        #expect(desk.handle(.timer, now: .seconds(600)) == [refused(1, .timedOut), .end(.expired)])
        #expect(!desk.isOpen)
    }

    @Test("Another nonce than the one committed to shows no digits, and voids the code")
    func brokenCommitment() {
        var desk = opened()
        _ = desk.handle(.contact(contact(1)), now: .zero)
        let other = [UInt8](repeating: 8, count: 32)
        #expect(
            desk.handle(reveal(1, nonce: other), now: .zero)
                == [.refusePhone(ChannelID(number: 1), testRequest(2), .notAllowed), .end(.brokenCommitment)])
        #expect(desk.secret(for: code, now: .zero) == nil)
    }

    @Test("A phone that committed and does not show its nonce in time voids the code: it has seen the box's")
    func silent() {
        var desk = opened()
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(desk.deadline == EnrolmentDesk.revealLimit)
        #expect(desk.handle(.timer, now: EnrolmentDesk.revealLimit) == [refused(1, .timedOut), .end(.phoneLost)])
        #expect(!desk.isOpen)
        var patient = waiting(1)
        #expect(patient.deadline == .seconds(600), "the administrator has the code's whole time")
        #expect(patient.handle(yes(1), now: .seconds(599)) == [.activate(revealed(1), order())])
    }

    @Test("A second commitment, and a nonce out of its place, are bad requests and change nothing")
    func outOfPlace() {
        var desk = opened()
        let bad = EnrolmentDesk.Action.badRequest(ChannelID(number: 1), testRequest(2))
        #expect(desk.handle(reveal(1), now: .zero) == [bad])
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(desk.handle(.contact(contact(1, request: 2)), now: .zero) == [bad])
        #expect(
            desk.handle(reveal(2), now: .zero) == [.badRequest(ChannelID(number: 2), testRequest(2))],
            "of somebody else")
        #expect(desk.handle(reveal(1), now: .zero).first == .tellPending(revealed(1)))
        #expect(desk.handle(reveal(1), now: .zero) == [bad], "twice")
        #expect(desk.handle(yes(1), now: .zero) == [.activate(revealed(1), order())])
    }

    @Test("A wrong code finds no secret and changes nothing")
    func wrongCode() {
        let desk = opened()
        #expect(desk.secret(for: [0, 0, 0, 0, 0, 0, 0, 0], now: .zero) == nil)
        #expect(desk.isOpen)
    }

    @Test("A phone that vanishes before it is confirmed takes its code with it: nobody else's yes is waiting")
    func vanished() {
        for hasRevealed in [false, true] {
            var desk = opened()
            _ = desk.handle(.contact(contact(1)), now: .zero)
            if hasRevealed { _ = desk.handle(reveal(1), now: .zero) }
            #expect(desk.handle(.channelClosed(ChannelID(number: 2)), now: .zero) == [])
            #expect(desk.handle(.channelClosed(ChannelID(number: 1)), now: .zero) == [.end(.phoneLost)])
            #expect(!desk.isOpen)
            #expect(desk.secret(for: code, now: .zero) == nil)
            #expect(desk.handle(.contact(contact(3)), now: .zero) == [refused(3, .timedOut)])
            #expect(desk.handle(yes(1), now: .zero) == [])
        }
    }

    @Test("A yes about other digits than those of the phone that waits enrols nobody, and closes the enrolment")
    func otherDigits() {
        var desk = waiting(1)
        #expect(
            desk.handle(yes(2), now: .zero)
                == [.refusePhone(ChannelID(number: 1), testRequest(2), .notAllowed), .end(.otherDigits)])
        #expect(!desk.isOpen)
        var early = opened()
        _ = early.handle(.contact(contact(1)), now: .zero)
        #expect(
            early.handle(.administratorConfirms(digits: []), now: .zero)
                == [refused(1, .notAllowed), .end(.otherDigits)])
    }

    @Test("A second phone with the same code cannot push the first one out")
    func second() {
        var desk = opened()
        _ = desk.handle(.contact(contact(1)), now: .zero)
        #expect(desk.handle(.contact(contact(2)), now: .zero) == [refused(2, .busy)])
        _ = desk.handle(reveal(1), now: .zero)
        #expect(desk.handle(.contact(contact(2)), now: .zero) == [refused(2, .busy)])
        #expect(desk.handle(yes(1), now: .zero) == [.activate(revealed(1), order())])
    }

    @Test("What the administrator declines, or walks away from, never becomes a device")
    func declined() {
        var desk = waiting(1)
        let phone = ChannelID(number: 1)
        #expect(
            desk.handle(.administratorDeclines, now: .zero)
                == [.refusePhone(phone, testRequest(2), .notAllowed), .end(.declined)])
        var left = opened()
        _ = left.handle(.contact(contact(1)), now: .zero)
        #expect(left.handle(.administratorLeft, now: .zero) == [refused(1, .cancelled)])
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
    @Test("Five tries of a connection pass at once, then five a second, and what would wait too long is refused")
    func limiter() {
        var limiter = AttemptLimiter(rate: 5)
        let turns = (0..<30).map { _ in limiter.reserve("a", now: .zero) }
        #expect(turns.prefix(5).allSatisfy { $0 == .zero })
        #expect(turns[5] == .milliseconds(200))
        #expect(turns[9] == .seconds(1))
        #expect(turns[19] == .seconds(3))
        #expect(turns[20...].allSatisfy { $0 == nil })
        #expect(limiter.reserve("a", now: .seconds(10)) == .seconds(10), "time brings new tries")
    }

    @Test("However many wrong tries others make, and for however long, nobody else's first try waits")
    func fair() {
        var limiter = AttemptLimiter(rate: 5)
        for millisecond in 0..<20_000 {
            let now: Duration = .milliseconds(millisecond)
            for flood in 0..<4 { _ = limiter.reserve("flood \(flood)", now: now) }
            _ = limiter.reserve("anew \(millisecond)", now: now)
            if millisecond % 1_000 == 0 { #expect(limiter.reserve("phone \(millisecond)", now: now) == now) }
        }
    }

    @Test("A right try costs nothing")
    func rightTry() {
        var limiter = AttemptLimiter(rate: 1)
        for _ in 0..<10 {
            #expect(limiter.reserve("a", now: .zero) == .zero)
            limiter.refund("a")
        }
        #expect(limiter.reserve("a", now: .zero) == .zero)
        #expect(limiter.reserve("a", now: .zero) == .seconds(1))
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

    @Test("The phone whose digits are compared takes the place of one that only proved the code")
    func contactFirst() {
        var admission = LinkAdmission(halfOpenLimit: 1)
        let (idle, phone) = (ChannelID(number: 1), ChannelID(number: 2))
        #expect(admission.arrived(idle, over: "a") == [])
        admission.enrolling(idle)
        #expect(admission.arrived(phone, over: "b") == [])
        admission.contact(phone)
        #expect(admission.arrived(ChannelID(number: 3), over: "c") == [idle])
        #expect(admission.halfOpenCount == 1)
    }

    @Test("Connections that fail again and again push out themselves, before anybody who comes anew")
    func failures() {
        var admission = LinkAdmission(halfOpenLimit: 8)
        var number: UInt64 = 0
        var open: [ChannelID: String] = [:]
        // Twelve connections, each with one link at a time, fail again and again.
        func arrive(_ connection: String) -> [ChannelID] {
            number += 1
            open[ChannelID(number: number)] = connection
            return admission.arrived(ChannelID(number: number), over: connection)
        }
        for round in 0..<1_000 {
            let phone = round >= 500 && round % 50 == 0 ? "phone \(round)" : nil
            if let phone { #expect(!arrive(phone).contains(ChannelID(number: number))) }
            for flood in 0..<12 {
                for leaving in arrive("flood \(flood)") {
                    #expect(open[leaving]?.hasPrefix("phone") != true, "round \(round)")
                    admission.left(leaving)
                    open[leaving] = nil
                }
            }
            for (channel, connection) in open.sorted(by: { $0.key.number < $1.key.number }) {
                admission.left(channel, failed: connection.hasPrefix("flood"))
            }
            open = [:]
        }
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
