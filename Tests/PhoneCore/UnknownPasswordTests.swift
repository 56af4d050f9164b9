import Names
import PhoneMessages
import Secrets
import Testing
import VaultPort

@testable import PhoneCore

@Suite("A stored password whose verdict the phone did not hear")
struct UnknownPasswordTests {
    private static let modes: [CredentialMode] = [.phoneHeld, .boxHeld]

    /// A login that begins with this history, at a box that reports `progress` and no result.
    private func login(
        at box: ModelBox, _ history: PasswordHistory = PasswordHistory(), _ progress: [LoginProgress] = [.delivered]
    ) -> ErrandRig {
        box.answer = { message in
            switch message.request {
            case .login, .loginWithPIN: progress.map { .progress(message.id, $0) }
            default: ModelBox.politely(message)
            }
        }
        let rig = ErrandRig(.login(BoxTarget(box.row), asksPerson: false), [box])
        rig.histories[box.row.id] = history
        return rig
    }

    private func isNoting(_ rig: ErrandRig) -> Bool {
        rig.pending.contains { if case .vault(_, .notePassword(_, .sent)) = $0 { true } else { false } }
    }

    /// Logs in, and ends the link once the box has reported its last progress. Returns the history then.
    private func loses(
        _ box: ModelBox, _ history: PasswordHistory, after progress: [LoginProgress] = [.delivered]
    ) throws -> PasswordHistory {
        let rig = login(at: box, history, progress)
        let last = try #require(progress.last)
        #expect(rig.run(until: { rig.progress.contains(.request(last)) }))
        rig.cut()
        #expect(rig.run())
        guard case .loggedIn(.answered(.refused(.outcomeUnknown, _)))? = rig.end else {
            throw VaultError.notFound(what: "unknown outcome, but \(String(describing: rig.end))")
        }
        rig.answerAll()
        return rig.histories[box.row.id] ?? PasswordHistory()
    }

    @Test("The send is on disk before the password leaves, so that a kill then does not lose it", arguments: modes)
    func noted(mode: CredentialMode) throws {
        let box = try ModelBox(mode: mode)
        let rig = login(at: box)
        #expect(rig.run(until: { isNoting(rig) }))
        #expect(isNoting(rig) && box.secretRequests == 0 && rig.unwritten.isEmpty)
        #expect(rig.run(until: { box.secretRequests == 1 }))
        #expect(rig.histories[box.row.id] == PasswordHistory(unknown: 1))
    }

    @Test("One unknown outcome costs no question, and two in a row do", arguments: modes)
    func asked(mode: CredentialMode) throws {
        let box = try ModelBox(mode: mode)
        var history = PasswordHistory()
        for count in 1...2 {
            history = try loses(box, history)
            #expect(history == PasswordHistory(unknown: count) && box.secretRequests == count)
        }
        let third = login(at: box, history)
        third.sendsAgain = false
        #expect(third.run())
        guard case .loggedIn(.notSentAgain(.unknown))? = third.end else {
            return #expect(Bool(false), "\(String(describing: third.end))")
        }
        #expect(box.secretRequests == 2)
    }

    @Test("A password that the person sends again counts from one, so that not every later login asks")
    func sentAgain() throws {
        let box = try ModelBox(mode: .phoneHeld)
        #expect(try loses(box, PasswordHistory(unknown: 2)) == PasswordHistory(unknown: 1))
        #expect(try loses(box, PasswordHistory(refusedAt: 7)) == PasswordHistory(refusedAt: 7, unknown: 1))
    }

    @Test("A link that is lost after the password was accepted leaves nothing unknown")
    func accepted() throws {
        for progress in [LoginProgress.passwordAccepted, .passwordMustChange] {
            let box = try ModelBox(mode: .phoneHeld)
            let history = PasswordHistory(unknown: 1)
            #expect(try loses(box, history, after: [.delivered, progress]) == PasswordHistory())
        }
    }

    @Test("A verdict that comes after the phone gave up changes nothing, and its outcome stays unknown")
    func tooLate() throws {
        let box = try ModelBox(mode: .phoneHeld)
        let rig = login(at: box)
        var id: RequestID?
        box.answer = { message in
            guard case .login = message.request else { return ModelBox.politely(message) }
            id = message.id
            return [.progress(message.id, .delivered)]
        }
        #expect(rig.run(until: { rig.progress.contains(.request(.delivered)) }))
        let number = try #require(rig.link?.number)
        rig.push(.result(try #require(id), .correct, .none))
        let late = try #require(rig.link).end.takeSegments()
        #expect(!late.isEmpty && rig.run())
        guard case .loggedIn(.answered(.refused(.outcomeUnknown, _)))? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        for segment in late { rig.feed(.segment(number, segment)) }
        #expect(rig.actionsAfterEnd == 0 && rig.histories[box.row.id] == PasswordHistory(unknown: 1))
    }

    @Test("Nothing is sent where the send cannot be written down")
    func notNoted() throws {
        let box = try ModelBox(mode: .phoneHeld)
        let rig = login(at: box)
        #expect(rig.run(until: { isNoting(rig) }))
        rig.failVault()
        guard case .failed(.vault)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
        #expect(box.secretRequests == 0)
    }

    @Test("A link that ends, or a person who gives up, while the send is written down sends nothing and counts nothing")
    func endedBefore() throws {
        for gives in [false, true] {
            let box = try ModelBox(mode: .phoneHeld)
            let rig = login(at: box)
            #expect(rig.run(until: { isNoting(rig) }))
            if gives { rig.feed(.cancel) } else { rig.cut() }
            #expect(rig.run())
            rig.answerAll()
            switch rig.end {
            case .failed(.cancelled) where gives, .failed(.linkLost) where !gives: break
            default: #expect(Bool(false), "\(String(describing: rig.end))")
            }
            #expect(box.secretRequests == 0 && rig.histories[box.row.id] == PasswordHistory())
        }
    }

    @Test("A tap while a box is watched is counted as well")
    func watched() throws {
        let box = try ModelBox(mode: .phoneHeld)
        let rig = ErrandRig(.watch(BoxTarget(box.row)), [box])
        #expect(rig.run(until: { rig.shown.contains { if case .state = $0 { true } else { false } } }))
        box.answer = { message in
            if case .login = message.request { [.progress(message.id, .delivered)] } else { ModelBox.politely(message) }
        }
        rig.feed(.tap(.logIn(.login(HeldSecret(SecretBytes(copying: Array("password".utf8)))))))
        #expect(rig.run(until: { box.secretRequests == 1 }))
        rig.cut()
        #expect(rig.histories[box.row.id] == PasswordHistory(unknown: 1))
    }

    @Test("The question can be asked before anything else, without a radio")
    func reconsidered() throws {
        let box = try ModelBox(mode: .boxHeld)
        let free = ErrandRig(.reconsider(BoxTarget(box.row)), [box])
        #expect(free.run())
        guard case .found? = free.end else { return #expect(Bool(false), "\(String(describing: free.end))") }
        for sendsAgain in [false, true] {
            let rig = ErrandRig(.reconsider(BoxTarget(box.row)), [box])
            rig.histories[box.row.id] = PasswordHistory(unknown: 2)
            rig.sendsAgain = sendsAgain
            #expect(rig.run())
            switch rig.end {
            case .found where sendsAgain, .loggedIn(.notSentAgain(.unknown)) where !sendsAgain: break
            default: #expect(Bool(false), "\(String(describing: rig.end))")
            }
            #expect(rig.link == nil && rig.vaultCommands.count == 1)
        }
    }
}

extension ErrandRig {
    /// Answers also the commands that the operation did not wait for.
    fileprivate func answerAll() {
        while !pending.isEmpty { answer() }
    }
}
