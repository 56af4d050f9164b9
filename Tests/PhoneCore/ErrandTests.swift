import PhoneMessages
import Secrets
import Testing
import VaultPort

@testable import PhoneCore

@Suite("Errands")
struct ErrandTests {
    @Test("A login is asked for once, and its secret is let go of when it is sent")
    func secretIsLetGo() throws {
        let box = try ModelBox(mode: .phoneHeld)
        weak var password: HeldSecret?
        let rig: ErrandRig
        do {
            let secret = HeldSecret(SecretBytes(copying: Array("password".utf8)))
            password = secret
            rig = ErrandRig(.request(BoxTarget(box.row), .login(secret)), [box])
        }
        #expect(password != nil)
        box.answer = { _ in [] }
        #expect(rig.run(until: { box.requests == 1 }))
        #expect(password == nil)
        #expect(rig.run())
        #expect(box.secretRequests == 1)
    }

    /// Starts a login that the box answers with these messages, and then cancels it.
    private func givenUp(_ said: [LoginProgress]) throws -> (ErrandRig, ModelBox) {
        let box = try ModelBox(mode: .phoneHeld)
        box.answer = { message in
            if case .login = message.request { said.map { .progress(message.id, $0) } } else { [] }
        }
        let rig = ErrandRig(.login(BoxTarget(box.row), asksPerson: false), [box])
        #expect(rig.run(until: { said.last.map { rig.progress.last == .request($0) } ?? (box.requests == 1) }))
        rig.feed(.cancel)
        return (rig, box)
    }

    private static let login = RequestID.first.next ?? .first

    @Test("A login is called cancelled when the box says so, and not because its person gave up")
    func withdrawn() throws {
        let (rig, _) = try givenUp([.waitingForPrompt])
        #expect(rig.end == nil, "the box has not said what it did")
        rig.push(.result(Self.login, .cancelled, .none))
        rig.read()
        guard case .failed(.cancelled)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
    }

    @Test("What a program has been given is not called cancelled: its verdict counts", arguments: [true, false])
    func verdictAfterGivingUp(isRight: Bool) throws {
        let (rig, box) = try givenUp([.delivered])
        #expect(rig.end == nil, "a program has the password")
        rig.push(.result(Self.login, isRight ? .correct : .wrongCredentials, .none))
        rig.read()
        #expect(rig.run())
        guard case .loggedIn(.answered(let outcome))? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        #expect(outcome == (isRight ? .done : .refused(.wrongCredentials, .none)))
        #expect((rig.histories[box.row.id]?.refusedAt != nil) == !isRight)
    }

    @Test("A box that says nothing more does not hold whoever gives up, and nothing is called cancelled")
    func silentAfterGivingUp() throws {
        let (rig, _) = try givenUp([.delivered])
        let begun = rig.now
        while rig.end == nil, rig.waitForDeadline() {}
        #expect(rig.now - begun <= .seconds(10))
        if case .failed(.cancelled)? = rig.end { #expect(Bool(false), "nobody knows that") }
        #expect(rig.end != nil)
    }

    @Test("A link that dies while an enrolment is asked about ends the watch's channel at once")
    func lostWhileConfirming() throws {
        let box = try ModelBox(confirmed: false)
        box.answer = { message in
            if case .enrolment = message.request { return [] }
            return ModelBox.politely(message)
        }
        let rig = ErrandRig(.watch(BoxTarget(box.row)), [box])
        #expect(rig.run(until: { box.requests == 2 }))
        rig.cut()
        #expect(rig.shown.contains { if case .lost(.linkLost, _) = $0 { true } else { false } })
    }

    @Test("A box that revokes a phone which measures its signal is forgotten")
    func revokedWhileMeasuring() throws {
        let box = try ModelBox()
        let rig = ErrandRig(.measure(BoxTarget(box.row), count: 20, every: .seconds(1)), [box])
        #expect(rig.run(until: { rig.isMeasuring }))
        rig.push(.revoked)
        #expect(rig.run())
        guard case .failed(.revoked)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
        #expect(rig.vaultCommands.contains { if case .forget(box.row.id) = $0 { true } else { false } })
    }

    @Test("A measurement whose link has died meanwhile ends")
    func measuringWithoutLink() throws {
        let box = try ModelBox()
        box.answer = { message in
            if case .status = message.request { return [.result(message.id, .wiped, .none)] }
            return ModelBox.politely(message)
        }
        let rig = ErrandRig(.measure(BoxTarget(box.row), count: 3, every: .seconds(1)), [box])
        #expect(rig.run(until: { rig.isDestroying }))
        rig.cut()
        #expect(rig.run())
    }

    @Test("A question that is asked again goes to the box that was chosen, not to its namesake")
    func noNamesake() throws {
        let (chosen, namesake) = (try ModelBox(), try ModelBox())
        chosen.answer = { _ in [] }
        let both = BoxTarget(boxID: "1234", candidates: [chosen.row, namesake.row])
        let rig = ErrandRig(.request(both, .unlock), [chosen, namesake])
        #expect(rig.run(until: { chosen.requests == 1 }))
        rig.cut()
        #expect(rig.run())
        #expect(chosen.requests == 2)
        #expect(namesake.requests == 0)
        #expect(rig.choices == 1, "the person has said which")
    }

    @Test("Which password is opened, the person says first: the other box's stays shut")
    func chosenBeforeOpened() throws {
        let (other, meant) = (try ModelBox(mode: .phoneHeld), try ModelBox(mode: .phoneHeld))
        let both = BoxTarget(boxID: "1234", candidates: [other.row, meant.row])
        let rig = ErrandRig(.login(both, asksPerson: true), [other, meant])
        #expect(rig.run(until: { if case .choose? = rig.pending.first { true } else { false } }))
        #expect(rig.vaultCommands.isEmpty)
        rig.pending = []
        rig.feed(.chosen(meant.row.id))
        #expect(rig.run())
        let opened = rig.vaultCommands.compactMap { if case .openCredential(let id, _) = $0 { id } else { nil } }
        #expect(opened == [meant.row.id])
        #expect(meant.secretRequests == 1 && other.secretRequests == 0, "\(String(describing: rig.end))")
    }

    @Test("A ping whose link is lost says so, and not that the box refuses this phone")
    func pingLost() throws {
        let box = try ModelBox()
        let rig = ErrandRig(.ping(BoxTarget(box.row), size: 9_000, count: 3), [box])
        #expect(rig.run(until: { box.requests == 3 }))
        rig.cut()
        guard case .failed(.linkLost)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
    }

    @Test("What a box said before its goodbye counts, also where all of it arrives at once")
    func lastWords() throws {
        let box = try ModelBox(mode: .phoneHeld)
        box.answer = { _ in [] }
        let secret = HeldSecret(SecretBytes(copying: Array("password".utf8)))
        let rig = ErrandRig(.request(BoxTarget(box.row), .login(secret)), [box])
        #expect(rig.run(until: { box.requests == 1 }))
        rig.read()
        for said in ModelBox.politely(PhoneRequestMessage(id: RequestID.first.next ?? .first, request: .login(secret)))
        {
            rig.push(said)
        }
        rig.sayGoodbye()
        rig.read(reversed: true)
        guard case .answered(let answer)? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        #expect(answer.outcome == .done)
    }

    @Test("Nothing goes over a link to a box with a newer certificate before its serial is written down")
    func serialFirst() throws {
        let box = try ModelBox()
        box.serial = 2
        let rig = ErrandRig(.request(BoxTarget(box.row), .status), [box])
        #expect(rig.run(until: { rig.isAtVault }))
        guard rig.pending.count == 1, case .vault(let number, .raiseSerial(box.row.id, 2, _))? = rig.pending.first
        else {
            return #expect(Bool(false), "\(rig.pending)")
        }
        // A full disk must not prevent the request.
        rig.pending = []
        rig.feed(.vault(number, .failed(.diskFull)))
        #expect(rig.run())
        guard case .answered? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
    }

    @Test("Answers to what is over are dropped")
    func staleAnswers() throws {
        let box = try ModelBox()
        let rig = ErrandRig(.request(BoxTarget(box.row), .status), [box])
        #expect(rig.run(until: { if case .identify? = rig.pending.first { true } else { false } }))
        guard case .identify(let number)? = rig.pending.first else { return }
        rig.cut()
        rig.feed(.identity(number, try box.identity))
        rig.feed(.segment(number, [1, 2, 3]))
        #expect(rig.end == nil)
        #expect(!rig.pending.contains { if case .open = $0 { true } else { false } })
    }

    @Test("A radio that takes nothing more ends the channel")
    func stalledRadio() throws {
        let box = try ModelBox()
        box.answer = { _ in [] }
        let rig = ErrandRig(.watch(BoxTarget(box.row)), [box])
        #expect(rig.run(until: { box.requests == 1 }))
        rig.feed(.tap(.act(.lock)))
        for _ in 0..<200 where rig.waitForDeadline() && !rig.hasLost {}
        #expect(rig.hasLost)
    }
}

extension ErrandRig {
    var isMeasuring: Bool { pending.contains { if case .measure = $0 { true } else { false } } }

    var isDestroying: Bool {
        pending.contains { if case .vault(_, .destroyDeviceSecret) = $0 { true } else { false } }
    }

    var hasLost: Bool { shown.contains { if case .lost = $0 { true } else { false } } }
}
