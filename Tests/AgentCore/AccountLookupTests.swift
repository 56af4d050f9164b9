import AuditLog
import ControlProtocol
import Secrets
import Testing

@testable import AgentCore

@Suite("Names of accounts")
struct AccountLookupTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Settles a lookup with a user database that has only the names in `answers`.
    private func settled(
        _ asked: String, _ answers: [String: (name: String, uid: UInt32)]
    ) -> AccountLookup {
        AccountLookup.settled(Self.bytes(asked)) { spelling in
            guard let answer = answers[String(decoding: spelling, as: UTF8.self)] else { return .unknown }
            return .found(uid: answer.uid, name: Self.bytes(answer.name))
        }
    }

    @Test(
        "Each spelling of an account has the account's name",
        arguments: ["anna", "Anna", "anna@corp.example", "CORP\\anna"])
    func spellings(asked: String) {
        var answers: [String: (name: String, uid: UInt32)] = ["anna": ("anna", 1_000)]
        answers[asked] = ("anna", 1_000)
        let account = settled(asked, answers)
        #expect(account.name(of: Self.bytes(asked)) == Self.bytes("anna"))
        #expect(account == (asked == "anna" ? .found(uid: 1_000) : .found(uid: 1_000, name: Self.bytes("anna"))))
    }

    @Test("A name that leads to another number, to another name or to nobody is not the account's")
    func otherAccounts() {
        let misled: [[String: (name: String, uid: UInt32)]] = [
            ["Anna": ("anna", 1_001), "anna": ("anna", 1_000)],
            ["Anna": ("anna", 1_000), "anna": ("ANNA", 1_000)],
            ["Anna": ("anna", 1_000)],
        ]
        for answers in misled {
            let account = settled("Anna", answers)
            #expect(account.name(of: Self.bytes("Anna")) == Self.bytes("Anna"), "\(answers)")
        }
    }

    @Test("A name that no phone may have is not taken", arguments: ["", "-anna", "../anna", "an:na", "an\nna"])
    func unusable(name: String) {
        let account = settled("Anna", ["Anna": (name, 1_000), name: (name, 1_000)])
        #expect(account == .found(uid: 1_000))
    }

    @Test("Whoever is unknown, or was not answered for, is called as asked")
    func unanswered() {
        #expect(AccountLookup.unknown.name(of: [65]) == [65])
        #expect(AccountLookup.failed.name(of: [65]) == [65])
        #expect(AccountLookup.settled([65]) { _ in .failed } == .failed)
    }

    @Test("An enrolment is for the account's name, and says so before it shows a code")
    func enrolment() {
        let bench = Bench()
        var room = Enrolments(bench.policy)
        let wish = EnrolmentWish(user: Self.bytes("anna@corp.example"))
        let ordered = bench.run { room.ordered(Sample.control(), wish, Sample.root, &$0) }
        let account = AccountLookup.found(uid: 1_000, name: Self.bytes("anna"))
        let said = bench.run { room.answered(ordered.operations[0], .account(account, .agent), &$0) }
        #expect(said.toControls == [.notice(text: "anna@corp.example is anna on this box")])
        guard case .lookUp(_, .newCode(let user))? = said.effects.first else {
            Issue.record("no code is asked for: \(said.effects)")
            return
        }
        #expect(user == Self.bytes("anna"))
    }
}
