import Names
import PhoneMessages
import Secrets
import Testing
import VaultPort

@testable import PhoneCore

@Suite("A stored password that was refused")
struct RefusedPasswordTests {
    private static let modes: [CredentialMode] = [.phoneHeld, .boxHeld]
    private static let refusedOnce = PasswordHistory(refusedAt: 1_795_788_120)

    /// Logs in with the stored credential at a box that answers with `code`. `refused` means an earlier refusal.
    private func login(at box: ModelBox, _ code: ResultCode, refused: Bool, sendsAgain: Bool = true) -> ErrandRig {
        let needsDetail = code == .pinWrong || code == .lockedOut
        let detail = needsDetail ? ResultDetail(attemptsLeft: 3, retryAfterSeconds: 30) : .none
        box.answer = { message in
            switch message.request {
            case .login, .loginWithPIN: [.progress(message.id, .delivered), .result(message.id, code, detail)]
            default: ModelBox.politely(message)
            }
        }
        let rig = ErrandRig(.login(BoxTarget(box.row), asksPerson: false), [box])
        if refused { rig.histories[box.row.id] = Self.refusedOnce }
        rig.sendsAgain = sendsAgain
        #expect(rig.run())
        return rig
    }

    private func notes(_ rig: ErrandRig) -> [PasswordNote] {
        rig.vaultCommands.compactMap { if case .notePassword(_, let note) = $0 { note } else { nil } }
    }

    @Test("It is written down before anybody is told", arguments: modes)
    func noted(mode: CredentialMode) throws {
        let box = try ModelBox(mode: mode)
        box.answer = { [.result($0.id, .wrongCredentials, .none)] }
        let rig = ErrandRig(.login(BoxTarget(box.row), asksPerson: false), [box])
        let isNoting = {
            rig.pending.contains { if case .vault(_, .notePassword(_, .refused)) = $0 { true } else { false } }
        }
        #expect(rig.run(until: isNoting))
        #expect(rig.end == nil && isNoting())
        #expect(rig.run())
        #expect(rig.histories[box.row.id] == Self.refusedOnce)
        guard case .loggedIn(.answered(.refused(.wrongCredentials, _)))? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
    }

    @Test("Nobody is told that it was refused where that cannot be written down")
    func notNoted() throws {
        let box = try ModelBox(mode: .phoneHeld)
        box.answer = { [.result($0.id, .wrongCredentials, .none)] }
        let rig = ErrandRig(.login(BoxTarget(box.row), asksPerson: false), [box])
        #expect(
            rig.run(until: {
                rig.pending.contains { if case .vault(_, .notePassword(_, .refused)) = $0 { true } else { false } }
            }))
        rig.failVault()
        guard case .failed(.vault)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
    }

    @Test("It is sent again only at the person's word, and neither opened nor asked a PIN for before", arguments: modes)
    func asked(mode: CredentialMode) throws {
        let box = try ModelBox(mode: mode)
        let refused = login(at: box, .correct, refused: true, sendsAgain: false)
        guard case .loggedIn(.notSentAgain)? = refused.end else {
            return #expect(Bool(false), "\(String(describing: refused.end))")
        }
        #expect(box.requests == 0 && box.secretRequests == 0)
        #expect(refused.vaultCommands.count == 1, "only the mark was looked at")
        let sent = login(at: box, .correct, refused: true)
        #expect(box.secretRequests == 1)
        #expect(notes(sent) == [.sentAgain, .accepted], "an accepted login clears it")
    }

    @Test("Only a password that was judged is marked or cleared", arguments: ResultCode.allCases)
    func codes(code: ResultCode) throws {
        let accepted: [ResultCode] = [.correct, .passwordMustChange, .accountDenied, .notLetIn, .sessionFailed]
        guard ![.revoked, .protocolVersion].contains(code) else { return }
        for refused in [false, true] {
            let box = try ModelBox(mode: .phoneHeld)
            let rig = login(at: box, code, refused: refused)
            let verdict: [PasswordNote] =
                switch code {
                case .wrongCredentials: [.refused]
                case .outcomeUnknown: []
                default: [accepted.contains(code) ? .accepted : .notJudged]
                }
            #expect(notes(rig) == [refused ? .sentAgain : .sent] + verdict, "\(code), refused before: \(refused)")
        }
    }

    @Test("A password that was accepted on the way is not refused, whatever comes then")
    func acceptedOnTheWay() throws {
        let box = try ModelBox(mode: .phoneHeld)
        box.answer = { [.progress($0.id, .passwordAccepted), .result($0.id, .outcomeUnknown, .none)] }
        let rig = ErrandRig(.login(BoxTarget(box.row), asksPerson: false), [box])
        rig.histories[box.row.id] = Self.refusedOnce
        #expect(rig.run())
        #expect(notes(rig) == [.sentAgain, .accepted])
    }

    @Test("What is entered is sent without a question, and says nothing of what is stored")
    func entered() throws {
        let box = try ModelBox(mode: .phoneHeld)
        box.answer = { [.result($0.id, .wrongCredentials, .none)] }
        let password = HeldSecret(SecretBytes(copying: Array("password".utf8)))
        let rig = ErrandRig(.request(BoxTarget(box.row), .login(password)), [box])
        #expect(rig.run())
        #expect(notes(rig).isEmpty)
    }

    @Test("A password that is stored at the box in its place clears it")
    func replaced() throws {
        let box = try ModelBox(mode: .boxHeld)
        let secret = HeldSecret(SecretBytes(copying: Array("4711".utf8)))
        let rig = ErrandRig(.request(BoxTarget(box.row), .storeCredential(secret, pin: secret)), [box])
        #expect(rig.run())
        #expect(notes(rig) == [.accepted])
    }

    @Test("A PIN that is given beforehand sends it no more than one that is asked for")
    func givenPIN() throws {
        let box = try ModelBox(mode: .boxHeld)
        let pin = HeldSecret(SecretBytes(copying: Array("4711".utf8)))
        let rig = ErrandRig(.login(BoxTarget(box.row), pin: pin), [box])
        rig.histories[box.row.id] = Self.refusedOnce
        rig.sendsAgain = false
        #expect(rig.run())
        #expect(box.requests == 0)
        let again = ErrandRig(.login(BoxTarget(box.row), pin: pin), [box])
        #expect(again.run())
        #expect(box.secretRequests == 1)
    }

    // MARK: While the box is watched

    private func watch(_ box: ModelBox, _ tap: WatchTap, refused: Bool, sendsAgain: Bool = true) -> ErrandRig {
        box.answer = { message in
            switch message.request {
            case .login, .elevate: [.result(message.id, .wrongCredentials, .none)]
            default: ModelBox.politely(message)
            }
        }
        let rig = ErrandRig(.watch(BoxTarget(box.row)), [box])
        #expect(rig.run(until: { rig.hasState }))
        if refused { rig.histories[box.row.id] = Self.refusedOnce }
        rig.sendsAgain = sendsAgain
        rig.feed(.tap(tap))
        return rig
    }

    private static var secret: HeldSecret { HeldSecret(SecretBytes(copying: Array("password".utf8))) }

    @Test("A tap and an elevation are taps with it as well", arguments: [false, true])
    func watched(isElevation: Bool) throws {
        let box = try ModelBox(mode: .phoneHeld)
        let id = try #require(ElevationID(rawValue: 7))
        let tap: WatchTap = isElevation ? .allow(.elevate(id, Self.secret)) : .logIn(.login(Self.secret))
        let first = watch(box, tap, refused: false)
        #expect(first.run(until: { first.histories[box.row.id] == Self.refusedOnce }))
        #expect(box.secretRequests == 1)
        let second = watch(box, tap, refused: true, sendsAgain: false)
        #expect(second.run(until: { second.isAsked }))
        // The phone shows a message that arrives while the user decides.
        second.push(.offer(.logIn))
        second.read()
        #expect(second.shown.contains(.offer(.logIn)))
        while second.isAsked { second.answer(second.pending.count - 1) }
        #expect(box.secretRequests == 1, "nothing was sent")
        // A later tap is performed.
        let requests = box.requests
        second.feed(.tap(.act(.lock)))
        #expect(second.run(until: { box.requests > requests }))
        second.sendsAgain = true
        second.feed(.tap(tap))
        #expect(second.run(until: { box.secretRequests == 2 }))
    }

    @Test("What is entered while the box is watched is sent without a question")
    func enteredWhileWatched() throws {
        let box = try ModelBox(mode: .phoneHeld)
        let rig = watch(box, .logIn(.login(Self.secret), isStored: false), refused: true, sendsAgain: false)
        #expect(rig.run(until: { box.secretRequests == 1 }))
        #expect(notes(rig).isEmpty)
    }
}

extension ErrandRig {
    fileprivate var hasState: Bool { shown.contains { if case .state = $0 { true } else { false } } }
    fileprivate var isAsked: Bool { pending.contains { if case .again = $0 { true } else { false } } }
}
