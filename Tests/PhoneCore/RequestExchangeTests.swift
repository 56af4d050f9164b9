import PhoneMessages
import Testing

@testable import PhoneCore

@Suite("One request on a channel")
struct RequestExchangeTests {
    private let id = RequestID.first

    private func exchange(_ kind: RequestKind, agreed: Bool = true) -> RequestExchange {
        RequestExchange(kind, isAgreed: agreed, limits: PhoneLimits(), now: .seconds(10))
    }

    private func result(_ code: ResultCode, _ detail: ResultDetail = .none) -> RequestExchange.Event {
        .delivery(.answer(.result(id, code, detail)))
    }

    private let unknown = RequestEnd.outcome(.refused(.outcomeUnknown, .none))

    private func ends(_ actions: [RequestExchange.Action]) -> [RequestEnd] {
        actions.compactMap { if case .finish(let end) = $0 { end } else { nil } }
    }

    @Test("Every refusal comes out as it went in, for logins and for simple requests", arguments: ResultCode.allCases)
    func refusals(code: ResultCode) {
        let detail = ResultDetail(attemptsLeft: 3, retryAfterSeconds: 60)
        for kind in [RequestKind.login, .simple] where code != .correct && code != .revoked {
            let exchange = exchange(kind)
            let actions = exchange.handle(result(code, detail), now: .seconds(11))
            #expect(ends(actions) == [.outcome(.refused(code, detail))])
            #expect(exchange.handle(.ended, now: .seconds(12)).isEmpty, "it is over")
        }
    }

    @Test("A request is done with its result, and so is a login", arguments: [RequestKind.simple, .login])
    func done(kind: RequestKind) {
        #expect(ends(exchange(kind).handle(result(.correct), now: .seconds(11))) == [.outcome(.done)])
    }

    @Test(
        "A password that was accepted is a stage, and never the end",
        arguments: [LoginProgress.passwordAccepted, .passwordMustChange])
    func stages(progress: LoginProgress) {
        let login = exchange(.login)
        let actions = login.handle(.delivery(.answer(.progress(id, progress))), now: .seconds(11))
        #expect(ends(actions).isEmpty && actions.count == 1)
        #expect(ends(login.handle(.ended, now: .seconds(12))) == [unknown])
    }

    @Test("Progress buys time once; a box that reports for ever is still given up")
    func progressIsBounded() {
        let login = exchange(.login)
        _ = login.handle(.delivery(.answer(.progress(id, .waitingForPrompt))), now: .seconds(11))
        let deadline = login.deadline
        #expect(deadline > .seconds(30))
        _ = login.handle(.delivery(.answer(.progress(id, .delivered))), now: .seconds(300))
        #expect(login.deadline == deadline)
        #expect(ends(login.handle(.timer, now: deadline)) == [unknown])
    }

    @Test("Silence, a lost link, a link that ends before a word, and nonsense are told apart")
    func ends() {
        let silent = exchange(.simple)
        #expect(ends(silent.handle(.timer, now: .seconds(30))) == [.silent])
        let lost = exchange(.simple)
        #expect(ends(lost.handle(.ended, now: .seconds(11))) == [.lost])
        let unanswered = exchange(.simple, agreed: false)
        #expect(ends(unanswered.handle(.ended, now: .seconds(11))) == [.closedUnanswered])
        let answeredHello = exchange(.simple, agreed: false)
        _ = answeredHello.handle(.delivery(.agreed), now: .seconds(11))
        #expect(ends(answeredHello.handle(.ended, now: .seconds(11))) == [.lost])
        let nonsense = exchange(.simple)
        #expect(ends(nonsense.handle(.delivery(.nonsense), now: .seconds(11))) == [.nonsense])
        let misplaced = exchange(.simple)
        #expect(
            ends(misplaced.handle(.delivery(.answer(.progress(id, .delivered))), now: .seconds(11))) == [.nonsense])
    }

    @Test("A login whose program may not have the password yet is lost, and one that is delivered is unknown")
    func delivered() {
        for (progress, end) in [(LoginProgress.waitingForPrompt, RequestEnd.lost), (.delivered, unknown)] {
            let login = exchange(.login)
            _ = login.handle(.delivery(.answer(.progress(id, progress))), now: .seconds(11))
            #expect(ends(login.handle(.ended, now: .seconds(12))) == [end])
        }
    }

    @Test("A revocation ends whatever is under way")
    func revoked() {
        for event in [RequestExchange.Event.delivery(.revoked), result(.revoked)] {
            let login = exchange(.login)
            #expect(ends(login.handle(event, now: .seconds(11))) == [.revoked])
        }
    }
}

@Suite("What is said on a channel")
struct ChannelConversationTests {
    @Test("Hello goes ahead of the first request, and only there")
    func helloOnce() {
        var conversation = ChannelConversation([.presence])
        #expect(conversation.open(.status).messages.count == 2)
        #expect(conversation.open(.lock).messages.count == 1)
    }

    @Test("Nothing but hello's answer counts before hello is answered")
    func helloFirst() throws {
        var conversation = ChannelConversation([.presence])
        let (messages, id) = conversation.open(.status)
        let hello = try #require(messages.first).id
        guard case .nonsense = conversation.sort(.result(id, .correct, .none), current: id) else {
            return _ = Issue.record("an answer ahead of hello's")
        }
        guard case .agreed = conversation.sort(.hello(hello, version: 2, capabilities: []), current: id) else {
            return _ = Issue.record("hello's answer")
        }
        guard case .answer = conversation.sort(.result(id, .correct, .none), current: id) else {
            return _ = Issue.record("the answer")
        }
    }

    @Test("A second hello, another version, and ids that were never given are nonsense; older ids are late")
    func nonsense() throws {
        var conversation = ChannelConversation([.presence])
        let (messages, first) = conversation.open(.status)
        let hello = try #require(messages.first).id
        let future = try #require(first.next)
        guard case .nonsense = conversation.sort(.hello(hello, version: 9, capabilities: []), current: first) else {
            return _ = Issue.record("a version that was not offered")
        }
        _ = conversation.sort(.hello(hello, version: 2, capabilities: []), current: first)
        guard case .nonsense = conversation.sort(.hello(hello, version: 2, capabilities: []), current: first) else {
            return _ = Issue.record("hello twice")
        }
        guard case .nonsense = conversation.sort(.result(future, .correct, .none), current: first) else {
            return _ = Issue.record("an id that was never given")
        }
        let (_, second) = conversation.open(.lock)
        guard case .late = conversation.sort(.result(first, .correct, .none), current: second) else {
            return _ = Issue.record("an older id")
        }
    }
}
