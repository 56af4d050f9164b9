import PhoneMessages
import Secrets
import SecureChannel
import SiteLink
import Testing

@testable import SiteCore

private let phoneKey = ServerFixture.key(77)
private let codeID = [UInt8](0xC0..<0xC8)
private let hash = [UInt8](repeating: 3, count: 32)
private let nonce = [UInt8](repeating: 8, count: 32)

private func id(_ number: UInt32) -> RequestID { RequestID(rawValue: number) ?? .first }

/// One enrolment, and its effects.
private struct Enrolment {
    var machine = SiteEnrolment(now: .zero)
    var now = Duration.zero

    @discardableResult
    mutating func feed(_ input: SiteEnrolmentInput) -> [SiteEnrolmentEffect] { machine.handle(input, now: now) }

    mutating func says(_ request: EnrolmentRequest) -> [SiteEnrolmentEffect] { feed(.heard(.said(request))) }

    /// A phone that has proved the code and said hello.
    static func greeted() -> Enrolment {
        var made = Enrolment()
        made.feed(.heard(.proved(phoneKey: phoneKey, codeID: codeID, handshakeHash: hash)))
        _ = made.says(.hello(id(1), versions: [2]))
        return made
    }

    mutating func commits(to nonce: [UInt8] = nonce) -> [SiteEnrolmentEffect] {
        let commitment = EnrolmentCommitment.of(nonce: nonce, handshakeHash: hash)
        return says(.enrol(id(2), EnrolRequest(label: Array("anna's".utf8), commitment: commitment)))
    }

    /// Continues up to the site's nonce, and returns that nonce.
    mutating func claimed() throws -> [UInt8] {
        _ = commits()
        guard case .say(.enrolNonce(_, let site))? = feed(.claimed(refusal: nil)).first else {
            throw SiteLinkError.protocolViolation
        }
        return site
    }

    mutating func shown() throws -> [UInt8] {
        let site = try claimed()
        _ = says(.reveal(id(3), nonce: nonce))
        _ = feed(.shown(true))
        return site
    }
}

@Suite("A phone that is enrolled through a box")
struct SiteEnrolmentTests {
    private static let close = SiteEnrolmentEffect.close
    private static func result(_ number: UInt32, _ code: ResultCode) -> SiteEnrolmentEffect {
        .say(.result(id(number), code, .none))
    }
    private static let look = SiteEnrolmentEffect.look(
        codeID: codeID, phoneKey: phoneKey, pause: SiteEnrolment.lookInterval)

    @Test(
        "It commits, hears the site's nonce, shows its own, and gets document and grant once both have compared the digits"
    )
    func wholly() throws {
        var made = Enrolment.greeted()
        #expect(
            made.commits() == [.claim(codeID: codeID, phoneKey: phoneKey, label: Array("anna's".utf8))])
        let answer = made.feed(.claimed(refusal: nil))
        guard case .say(.enrolNonce(id(2), let site))? = answer.first else { return #expect(Bool(false), "no nonce") }
        let digits = EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: nonce, boxNonce: site)
        #expect(
            made.says(.reveal(id(3), nonce: nonce)) == [.show(codeID: codeID, phoneKey: phoneKey, digits: digits)])
        #expect(made.feed(.shown(true)) == [.say(.enrolPending(id(3))), Self.look])
        #expect(made.feed(.looked(.waiting)) == [Self.look])
        #expect(made.feed(.looked(.unknown)) == [Self.look])
        #expect(made.machine.deadline == nil, "the code's end decides")
        #expect(
            made.feed(.looked(.enrolled(document: [1], grant: [2]))) == [
                .say(.siteDocument(id(3), [1])), .say(.siteEnrolled(id(3), [2])), Self.close,
            ])
        #expect(made.machine.isOver)
    }

    @Test("Each phone hears another nonce")
    func fresh() throws {
        var (one, two) = (Enrolment.greeted(), Enrolment.greeted())
        let (first, second) = (try one.claimed(), try two.claimed())
        #expect(first != second)
    }

    @Test("A phone that shows another nonce than it committed to loses the code")
    func brokenCommitment() throws {
        var made = Enrolment.greeted()
        _ = try made.claimed()
        let effects = made.says(.reveal(id(3), nonce: [UInt8](repeating: 9, count: 32)))
        guard case .void(codeID, phoneKey, _)? = effects.first else { return #expect(Bool(false), "not void") }
        #expect(effects.dropFirst() == [Self.result(3, .notAllowed), Self.close])
    }

    @Test("A phone that goes behind its commitment takes the code with it; before and after, it does not")
    func gone() throws {
        func isVoid(_ effects: [SiteEnrolmentEffect]) -> Bool {
            effects.contains { if case .void = $0 { true } else { false } } && effects.last == Self.close
        }
        var made = Enrolment.greeted()
        #expect(made.feed(.heard(.ended)) == [Self.close])
        made = .greeted()
        _ = made.commits()
        #expect(isVoid(made.feed(.heard(.ended))))
        made = .greeted()
        _ = try made.claimed()
        made.now = SiteEnrolment.patience - .milliseconds(1)
        #expect(made.feed(.timeHasCome) == [])
        made.now = SiteEnrolment.patience
        #expect(isVoid(made.feed(.timeHasCome)))
        made = .greeted()
        _ = try made.shown()
        // Digits that were shown remain valid after the phone has left.
        #expect(made.feed(.heard(.ended)) == [Self.close])
    }

    @Test("What is out of its turn ends it")
    func outOfTurn() throws {
        for step in 0..<6 {
            var made = Enrolment.greeted()
            let effects: [SiteEnrolmentEffect]
            switch step {
            case 0: effects = made.says(.hello(id(2), versions: [2]))
            case 1: effects = made.says(.reveal(id(2), nonce: nonce))
            case 2:
                _ = made.commits()
                effects = made.commits()
            case 3:
                _ = try made.claimed()
                effects = made.commits()
            case 4:
                _ = try made.shown()
                effects = made.says(.reveal(id(4), nonce: nonce))
            default:
                made = Enrolment()
                made.feed(.heard(.proved(phoneKey: phoneKey, codeID: codeID, handshakeHash: hash)))
                effects = made.commits()
            }
            #expect(effects.last == Self.close && made.machine.isOver, "step \(step)")
            #expect(!effects.contains { if case .claim = $0 { true } else { false } })
        }
    }

    @Test("A refusal is the last word")
    func refused() throws {
        var made = Enrolment.greeted()
        _ = made.commits()
        #expect(made.feed(.claimed(refusal: .busy)) == [Self.result(2, .busy), Self.close])
        made = .greeted()
        _ = try made.claimed()
        _ = made.says(.reveal(id(3), nonce: nonce))
        #expect(made.feed(.shown(false)) == [Self.result(3, .timedOut), Self.close])
        made = .greeted()
        _ = try made.shown()
        #expect(made.feed(.looked(.refused(.notAllowed))) == [Self.result(3, .notAllowed), Self.close])
        made = Enrolment()
        made.feed(.heard(.proved(phoneKey: phoneKey, codeID: codeID, handshakeHash: hash)))
        #expect(made.says(.hello(id(1), versions: [9])) == [Self.result(1, .protocolVersion), Self.close])
    }

    @Test("A phone that comes again is told so, and asks what became of it, without other digits")
    func again() throws {
        var made = Enrolment.greeted()
        _ = made.commits()
        #expect(made.feed(.claimed(refusal: .alreadyEnrolled)) == [Self.result(2, .alreadyEnrolled)])
        #expect(
            made.says(.outcome(id(3))) == [.look(codeID: codeID, phoneKey: phoneKey, pause: .zero)])
        #expect(made.feed(.looked(.waiting)) == [.say(.enrolPending(id(3))), Self.look])
        #expect(made.feed(.looked(.waiting)) == [Self.look])
        #expect(made.feed(.looked(.enrolled(document: [1], grant: [2]))).count == 3)
    }

    @Test("Nobody holds a place who says nothing")
    func silent() {
        var made = Enrolment()
        #expect(made.machine.deadline == SiteEnrolment.patience)
        made.now = SiteEnrolment.patience
        #expect(made.feed(.timeHasCome) == [Self.close])
        #expect(made.feed(.heard(.ended)) == [], "once")
    }
}

@Suite("An enrolment code's row")
struct EnrolmentRowTests {
    private let other = ServerFixture.key(78)

    private func row(_ state: EnrolmentRow.State, digits: String? = "123456") -> EnrolmentRow {
        EnrolmentRow(
            state: state, user: "anna", groups: ServerFixture.groups(), label: nil, expiry: 1_000,
            phoneKey: state == .open ? nil : phoneKey, digits: digits)
    }

    @Test("The first phone that commits is the only one, until the code's end")
    func claim() {
        func refusal(_ state: EnrolmentRow.State?, by key: [UInt8] = phoneKey, at time: UInt64 = 999) -> ResultCode? {
            EnrolmentRow.refusal(ofClaim: state.map { row($0) }, by: key, at: time)
        }
        #expect(refusal(.open) == nil)
        #expect(refusal(.open, at: 1_000) == .timedOut)
        #expect(refusal(nil) == .timedOut)
        for state in [EnrolmentRow.State.claimed, .shown] {
            #expect(refusal(state) == .alreadyEnrolled, "it may ask, and gets no other digits")
            #expect(refusal(state, by: other) == .busy)
            #expect(refusal(state, by: other, at: 1_000) == .notAllowed)
        }
        #expect(refusal(.done) == .alreadyEnrolled)
        #expect(refusal(.done, by: other) == .notAllowed)
        for state in [EnrolmentRow.State.declined, .cancelled, .lost] { #expect(refusal(state) == .notAllowed) }
    }

    @Test("Only digits that are shown, and these, are confirmed")
    func confirm() {
        for state in EnrolmentRow.State.allCases {
            #expect(row(state).mayConfirm("123456", at: 999) == (state == .shown))
            #expect(row(state).mayShow(for: phoneKey, at: 999) == (state == .claimed))
        }
        #expect(!row(.shown).mayConfirm("123457", at: 999))
        #expect(!row(.shown).mayConfirm("123456", at: 1_000))
        #expect(!row(.claimed).mayShow(for: other, at: 999))
        #expect(!row(.claimed).mayShow(for: phoneKey, at: 1_000))
    }

    @Test("What became of it is told to that phone alone, a grant also when the code's time is over")
    func outcome() {
        func refusal(_ state: EnrolmentRow.State, for key: [UInt8] = phoneKey, at time: UInt64 = 999) -> ResultCode? {
            EnrolmentRow.refusal(ofOutcome: row(state), for: key, at: time)
        }
        #expect(refusal(.done, at: 5_000) == nil)
        #expect(refusal(.shown) == nil)
        #expect(refusal(.shown, at: 1_000) == .timedOut)
        #expect(refusal(.done, for: other) == .timedOut)
        for state in [EnrolmentRow.State.claimed, .declined, .cancelled, .lost] {
            #expect(refusal(state) == .notAllowed)
        }
        #expect(EnrolmentRow.refusal(ofOutcome: nil, for: phoneKey, at: 0) == .timedOut)
    }
}

@Suite("Phones whose messages boxes carry, at a server")
struct CarryingTests {
    private func carry(_ number: UInt32) throws -> CarryNumber { try #require(CarryNumber(rawValue: number)) }
    private func message(_ number: UInt32) throws -> CarriedMessage {
        try #require(CarriedMessage(carry: carry(number), message: [1]))
    }

    @Test("A box's messages are handed on, and answers go back, as long as the carry is open")
    func handedOn() throws {
        var server = try TestServer()
        let id = try server.link(1).id
        #expect(server.feed(.said(id, .carry(try message(1)))) == [.carry(id, try message(1))])
        #expect(server.feed(.carryAnswered(id, try message(1))) == [.say(id, .carried(try message(1)))])
        #expect(server.feed(.carryOver(id, try carry(1))) == [.say(id, .carryEnded(try carry(1)))])
        // The server ignores all later messages of this carry, and never uses the carry's number again.
        #expect(server.feed(.carryAnswered(id, try message(1))) == [])
        #expect(server.feed(.said(id, .carry(try message(1)))) == [])
        #expect(server.feed(.said(id, .carry(try message(2)))) == [.carry(id, try message(2))])
        #expect(server.feed(.said(id, .endCarry(try carry(2)))) == [.endCarry(id, try carry(2))])
        #expect(server.feed(.said(id, .endCarry(try carry(2)))) == [])
    }

    @Test("A link that ends takes its carries with it")
    func linkEnds() throws {
        var server = try TestServer()
        let id = try server.link(1).id
        for number in UInt32(1)...3 { _ = server.feed(.said(id, .carry(try message(number)))) }
        #expect(
            server.feed(.closed(id)) == [
                .endCarry(id, try carry(1)), .endCarry(id, try carry(2)), .endCarry(id, try carry(3)),
            ])
        #expect(server.feed(.carryAnswered(id, try message(1))) == [])
    }

    @Test("A box that opens carries without end, or sends without end, is held to its bounds, and others are not")
    func bounded() throws {
        var server = try TestServer()
        let (id, other) = (try server.link(1).id, try server.link(2).id)
        for number in UInt32(1)...8 { #expect(server.feed(.said(id, .carry(try message(number)))).count == 1) }
        #expect(server.feed(.said(id, .carry(try message(9)))) == [.say(id, .carryEnded(try carry(9)))])
        #expect(server.feed(.said(other, .carry(try message(1)))) == [.carry(other, try message(1))])
        for _ in 1..<SiteEnrolmentEnd.messageLimit { _ = server.feed(.said(id, .carry(try message(1)))) }
        #expect(
            server.feed(.said(id, .carry(try message(1)))) == [
                .endCarry(id, try carry(1)), .say(id, .carryEnded(try carry(1))),
            ])
        for number in UInt32(10)...2_000 {
            _ = server.feed(.said(id, .carry(try message(number))))
            _ = server.feed(.said(id, .endCarry(try carry(number))))
        }
        #expect(server.feed(.said(id, .carry(try message(2_001)))) == [.say(id, .carryEnded(try carry(2_001)))])
    }

    @Test("All boxes together have so many at once, and a place that is given back is there for others")
    func boundedTogether() throws {
        var server = try TestServer(boxes: (1...9).map { ServerFixture.box($0) })
        var links: [LinkID] = []
        for box in 1...9 { links.append(try server.link(box).id) }
        for id in links.prefix(8) {
            for number in UInt32(1)...8 { #expect(server.feed(.said(id, .carry(try message(number)))).count == 1) }
        }
        let last = try #require(links.last)
        #expect(server.feed(.said(last, .carry(try message(1)))) == [.say(last, .carryEnded(try carry(1)))])
        _ = server.feed(.closed(links[0]))
        #expect(server.feed(.said(last, .carry(try message(2)))) == [.carry(last, try message(2))])
    }
}
