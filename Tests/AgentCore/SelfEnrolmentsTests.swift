import ControlProtocol
import Names
import Secrets
import SecureChannel
import SiteLink
import Testing
import VaultPort
import World

@testable import AgentCore

@Suite("People who enrol phones of their own at a box")
struct SelfEnrolmentsTests {
    private let control = Sample.control(7)
    private let code = EnrolmentSecret(HeldSecret(SecretBytes(copying: [1, 2, 3])))
    private static let opened: Duration = .seconds(990)

    /// A site member with a session that did not open with a phone, after a typed password.
    private func member() throws -> SiteMachine {
        var box = try SiteMachine()
        box.feed(.logind(.available))
        box.feed(.logind(.appeared(Self.session())))
        types(&box)
        return box
    }

    /// Reports a password that was typed for the session, as the PAM module of this caller does.
    private func types(
        _ box: inout SiteMachine, _ user: String = "alice", for session: String = "c1", by caller: Caller = Sample.root
    ) {
        let event = ProgramEvent.typedPassword(of: [UInt8](user.utf8), session: [UInt8](session.utf8), caller)
        box.feed(.program(Sample.program(90), event))
        box.feed(.program(Sample.program(90), .left))
    }

    @Test("A session of a login service for which nobody typed a password is none, as after an automatic login")
    func automaticLogin() throws {
        var box = try SiteMachine()
        box.feed(.logind(.available))
        box.feed(.logind(.appeared(Self.session())))
        #expect(refusedPlace(try asks(&box), .noPassword))
        types(&box, for: "c2")
        types(&box, "bob")
        types(&box, by: Sample.person)
        #expect(refusedPlace(try asks(&box), .noPassword), "of another session or user, or not said by root")
        types(&box)
        #expect(!wishes(try asks(&box)).isEmpty)
        // Logind may reuse a session number. A password that was typed for the earlier session does not count.
        box = try member()
        box.feed(.logind(.removed(Self.session())))
        box.feed(.logind(.appeared(Self.session())))
        #expect(refusedPlace(try asks(&box), .noPassword))
    }

    private static func session(_ change: (inout LogindSession) -> Void = { _ in }) -> LogindSession {
        var session = Sample.logind("c1", opened: opened.components.seconds * 1_000_000)
        (session.userID, session.user, session.service) = (1_000, "alice", "login")
        (session.seat, session.sessionClass, session.isActive, session.isRemote) = ("seat0", "user", true, false)
        change(&session)
        return session
    }

    /// Runs `boxagent enrol --self` in `session`, as the session's user unless the test names another caller.
    @discardableResult
    private func asks(
        _ box: inout SiteMachine, in session: LogindSession? = session(), isInBackground: Bool = false,
        by caller: Caller = Sample.person, replacing: String = "", on control: ControlID? = nil
    ) throws -> Said {
        let control = control ?? self.control
        let asked = box.feed(.control(control, .asks(.enrolSelf(replacing: [UInt8](replacing.utf8)), caller)))
        let id = asked.effects.compactMap { effect -> OperationID? in
            if case .lookUp(let id, .elevationPlace) = effect { id } else { nil }
        }.first
        guard let id else { return asked }
        return box.feed(
            .answered(id, .elevationPlace(session.map { (session: $0, isInBackground: isInBackground) })))
    }

    private func wishes(_ said: Said) -> [SelfEnrolmentWish] {
        said.effects.flatMap { effect -> [SelfEnrolmentWish] in
            guard case .site(_, .say(let messages)) = effect else { return [] }
            return messages.compactMap { if case .enrolSelf(let wish) = $0 { wish } else { nil } }
        }
    }

    private func news(_ stage: SelfEnrolmentNews.Stage, _ number: UInt32 = 1) -> MessageFromSite {
        .selfEnrolment(SelfEnrolmentNews(number: number, stage: stage))
    }

    private func failure(_ said: Said) -> FailureKind? {
        said.toControls.compactMap { if case .failure(let kind, _, _) = $0 { kind } else { nil } }.first
    }

    private func refusedPlace(_ said: Said, _ place: SelfEnrolmentPlace) -> Bool {
        said.toControls == [Refusals.failure(.notPermitted, place.what, place.cure)] && wishes(said).isEmpty
    }

    @Test("Who has just logged in at the box gets the site's code, compares its digits and hears the end")
    func walk() throws {
        var box = try member()
        let begun = wishes(try asks(&box, replacing: "7k3m"))
        #expect(
            begun.map(\.step) == [.begin(user: [UInt8]("alice".utf8), replacing: [UInt8]("7k3m".utf8))])
        let shown = box.site(news(.code(code, seconds: 600)))
        #expect(
            shown.effects.contains { if case .showCode(control, _, 600) = $0 { true } else { false } })
        let digits = box.site(news(.digits([UInt8]("123456".utf8), phone: [UInt8]("new".utf8))))
        #expect(digits.toControls == [.enrolmentDigits(digits: "123456", label: [UInt8]("new".utf8))])
        let answer = box.feed(
            .control(control, .asks(.confirmEnrolment(digits: "123456", accept: true), Sample.person)))
        #expect(wishes(answer).map(\.step) == [.answer(digits: [UInt8]("123456".utf8), accept: true)])
        let device = [UInt8](repeating: 4, count: 16)
        let end = box.site(news(.enrolled(device: device, hasReplaced: false)))
        let id = [UInt8](CrockfordBase32.text(device).utf8)
        #expect(end.toControls == [.enrolled(device: id, user: [UInt8]("alice".utf8)), .done(text: "")])
        #expect(box.site(news(.digits([UInt8]("123456".utf8), phone: []))).toControls.isEmpty)
    }

    @Test("Only the session in front of the box counts, of the caller's own, opened by a program that is served")
    func places() throws {
        var box = try member()
        #expect(refusedPlace(try asks(&box, in: nil), .noSession))
        #expect(refusedPlace(try asks(&box, isInBackground: true), .noSession))
        let other = Caller(uid: 1_001, pid: 78, daemonUID: 900)
        #expect(refusedPlace(try asks(&box, by: other), .otherUser))
        #expect(refusedPlace(try asks(&box, by: Sample.root), .otherUser), "sudo in somebody's session")
        let root = Self.session { $0.userID = 0 }
        #expect(refusedPlace(try asks(&box, in: root, by: Sample.root), .otherUser))
        for change: (inout LogindSession) -> Void in [
            { $0.isRemote = true }, { $0.seat = "" }, { $0.isActive = false }, { $0.sessionClass = "greeter" },
            { $0.isLocked = true },
        ] {
            #expect(refusedPlace(try asks(&box, in: Self.session(change)), .notAtSeat))
        }
        #expect(refusedPlace(try asks(&box, in: Self.session { $0.service = "sshd" }), .noLogin))
        #expect(refusedPlace(try asks(&box, in: Self.session { $0.service = "lightdm-autologin" }), .noLogin))
        #expect(!wishes(try asks(&box)).isEmpty)
    }

    @Test("A login of more than five minutes ago is none, whether the machine was awake or asleep")
    func freshness() throws {
        var box = try member()
        box.now.sinceBoot = Self.opened + SelfEnrolments.freshness + .seconds(1)
        #expect(refusedPlace(try asks(&box), .tooLong))
        // The machine was asleep for an hour, during which logind's clock stood still.
        box = try member()
        box.now.sinceBoot += .seconds(3_600)
        box.now.asleep += .seconds(3_600)
        #expect(refusedPlace(try asks(&box), .tooLong))
        // The session is older than this run of the agent.
        box = try SiteMachine()
        box.now.sinceBoot += .seconds(3_600)
        box.feed(.logind(.available))
        box.feed(.logind(.appeared(Self.session())))
        #expect(refusedPlace(try asks(&box), .tooLong))
    }

    @Test(
        "Where a phone has opened the session, or it is not known who did, or a phone has just given the password, nothing is asked"
    )
    func ofPhone() throws {
        var box = try SiteMachine()
        box.feed(.logind(.appeared(Self.session())))
        #expect(refusedPlace(try asks(&box), .ofPhone), "the rows were not read")
        box = try SiteMachine()
        let row = StoredSession(
            logindID: [UInt8]("c1".utf8), device: testDevice(1), user: [UInt8]("alice".utf8), terminal: nil,
            openedMicroseconds: Self.opened.components.seconds * 1_000_000, openedAt: Self.opened, extensions: 0)
        box.vault.add(Sample.record())
        guard case .done = box.vault.answer(.keepSession(row)) else { throw SiteLinkError.protocolViolation }
        box.feed(.logind(.appeared(Self.session())))
        box.feed(.logind(.available))
        #expect(refusedPlace(try asks(&box), .ofPhone))
        var room = SelfEnrolments()
        var bench = Bench()
        _ = bench.run { room.heard(.appeared(Self.session()), &$0) }
        _ = bench.run { room.phoneUsed([UInt8]("alice".utf8), &$0) }
        bench.pass(.seconds(60))
        let asked = bench.run { room.asked(control, Sample.person, replacing: [], &$0) }
        let id = try #require(asked.operations.first)
        let said = bench.run {
            room.answered(
                id, .elevationPlace((session: Self.session(), isInBackground: false)), isOfPhone: { _ in false },
                locked: [], &$0)
        }
        #expect(refusedPlace(said, .ofPhone))
    }

    @Test("An answer on another connection, or about an administrator's enrolment, counts for nothing")
    func answers() throws {
        var box = try member()
        try asks(&box)
        _ = box.site(news(.code(code, seconds: 600)))
        _ = box.site(news(.digits([UInt8]("123456".utf8), phone: [])))
        let other = box.feed(
            .control(Sample.control(8), .asks(.confirmEnrolment(digits: "123456", accept: true), Sample.person)))
        #expect(wishes(other).isEmpty && other.toControls == [Refusals.noEnrolment])
        let again = try asks(&box)
        #expect(again.toControls == [Refusals.oneAtATime])
        let second = try asks(&box, on: Sample.control(9))
        #expect(failure(second) == .busy && wishes(second).isEmpty)
    }

    @Test("Without a link to the site nothing is asked, and a link that ends, ends it")
    func cutOff() throws {
        var box = try member()
        box.feed(.site(box.link, .ended(.dropped, random: 1)))
        #expect(failure(try asks(&box)) == .busy)
        box = try member()
        try asks(&box)
        _ = box.site(news(.code(code, seconds: 600)))
        #expect(failure(box.feed(.site(box.link, .ended(.dropped, random: 1)))) == .busy)
        #expect(wishes(box.feed(.control(control, .left))).isEmpty)
    }

    @Test("A command that leaves takes its code back; a site that says nothing is waited for no longer than it may")
    func ends() throws {
        var box = try member()
        try asks(&box)
        #expect(wishes(box.feed(.control(control, .left))).map(\.step) == [.end])
        box = try member()
        try asks(&box)
        box.now.sinceBoot += SelfEnrolling.patience
        #expect(failure(box.feed(.timeHasCome)) == .busy)
        box = try member()
        try asks(&box)
        _ = box.site(news(.code(code, seconds: 600)))
        box.now.sinceBoot += .seconds(600) + SelfEnrolling.patience
        #expect(failure(box.feed(.timeHasCome)) == .busy)
    }

    @Test("Each refusal of the site has words, and a box of no site says so")
    func words() throws {
        for refusal in SelfEnrolmentRefusal.allCases {
            var box = try member()
            try asks(&box)
            let said = box.site(news(.refused(refusal, detail: [UInt8]("7k3m (old)\n".utf8))))
            #expect(failure(said) != nil)
            for case .failure(_, let what, let cure) in said.toControls {
                #expect(!what.contains("\n") && !cure.isEmpty)
            }
        }
        var box = try SiteMachine(isMember: false)
        box.feed(.logind(.available))
        box.feed(.logind(.appeared(Self.session())))
        types(&box)
        #expect(try asks(&box).toControls == [Refusals.noSite])
    }
}
