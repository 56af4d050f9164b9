import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("What requests do to credentials that the box holds")
struct CredentialsTests {
    private var bench = Bench()
    private var credentials = Credentials()
    private let device = Sample.record(mode: .boxHeld)

    private func tries(_ number: UInt32 = 2) -> DeviceRequest {
        Sample.request(.loginWithPIN(pin: Sample.secret("4711"), deviceSecret: Sample.secret()), number, of: device)
    }

    private mutating func answer(_ answer: VaultAnswer) -> Said {
        let asked = bench.run { credentials.asked(tries(), &$0) }
        #expect(asked.toPhones.isEmpty, "nothing is told before the vault has answered")
        return bench.run { credentials.answered(asked.operations[0], .vault(answer), &$0) }
    }

    @Test("A right PIN opens the credential for a login at the time of the tap")
    mutating func opens() {
        let asked = bench.run { credentials.asked(tries(), &$0) }
        bench.pass(.milliseconds(250))
        let said = bench.run {
            credentials.answered(asked.operations[0], .vault(.opened(.opened(Sample.secret()), nil)), &$0)
        }
        guard case .login(.opened(let tap, for: .login))? = said.facts.last else {
            Issue.record("not opened: \(said.facts)")
            return
        }
        #expect(tap.tappedAt == .seconds(1_000) && tap.user == device.user)
        #expect(said.results.isEmpty)
    }

    @Test("Each refusal of a PIN reaches the phone in its own words")
    mutating func refusals() {
        let cases: [(CredentialOutcome, ResultCode)] = [
            (.pinWrong(attemptsLeft: 3), .pinWrong), (.wiped, .wiped), (.lockedOut(seconds: 9), .lockedOut),
            (.noCredential, .noCredential), (.stale, .credentialStale),
        ]
        for (outcome, code) in cases {
            let said = answer(.opened(outcome, nil))
            #expect(said.results == [code])
            #expect(!said.facts.contains { if case .login(.opened) = $0 { true } else { false } })
        }
    }

    @Test("What is known of the credential now is told before the result is")
    mutating func stateFirst() {
        let state = CredentialState(attemptsLeft: 9, stale: false)
        let said = answer(.opened(.pinWrong(attemptsLeft: 9), state))
        guard case .login(.credentialKnown(let id, let known))? = said.facts.first else {
            Issue.record("not known: \(said.facts)")
            return
        }
        #expect(id == device.id && known == state)
    }

    @Test("A vault that fails is a box fault: nothing is handed over")
    mutating func fault() {
        let said = answer(.failed(.diskFull))
        #expect(said.results == [.boxFault] && said.facts.isEmpty)
    }

    @Test("A device that is revoked while its PIN is tried opens nothing, and hears no result")
    mutating func revokedMeanwhile() {
        let asked = bench.run { credentials.asked(tries(), &$0) }
        credentials.barred([device.id])
        let said = bench.run {
            credentials.answered(asked.operations[0], .vault(.opened(.opened(Sample.secret()), nil)), &$0)
        }
        #expect(said.effects.isEmpty && said.facts.isEmpty)
    }

    @Test("A phone that goes while its PIN is tried leaves no tap behind")
    mutating func phoneGone() {
        let asked = bench.run { credentials.asked(tries(), &$0) }
        credentials.channelLeft(Sample.channel())
        let said = bench.run {
            credentials.answered(asked.operations[0], .vault(.opened(.opened(Sample.secret()), nil)), &$0)
        }
        #expect(!said.facts.contains { if case .login(.opened) = $0 { true } else { false } })
    }

    @Test("Of a device one try is in the vault at a time, and nobody else's waits for it")
    mutating func oneAtATime() {
        let first = bench.run { credentials.asked(tries(2), &$0) }
        #expect(bench.run { credentials.asked(tries(3), &$0) }.effects.isEmpty)
        let other = Sample.record(2, user: "bob", mode: .boxHeld)
        let theirs = Sample.request(
            .loginWithPIN(pin: Sample.secret("4711"), deviceSecret: Sample.secret()), 2, on: Sample.channel(2),
            of: other)
        #expect(bench.run { credentials.asked(theirs, &$0) }.commands.count == 1)
        let answered = bench.run {
            credentials.answered(first.operations[0], .vault(.opened(.pinWrong(attemptsLeft: 3), nil)), &$0)
        }
        #expect(answered.results == [.pinWrong] && answered.commands.count == 1)
    }

    @Test(
        "A try that nobody waits for any more gives its turn to the next; what waited for it is dropped with its phone")
    mutating func turnsGoOn() {
        let first = bench.run { credentials.asked(tries(2), &$0) }
        _ = bench.run { credentials.asked(tries(3), &$0) }
        credentials.channelLeft(Sample.channel())
        let later = Sample.request(
            .loginWithPIN(pin: Sample.secret("4711"), deviceSecret: Sample.secret()), 4, on: Sample.channel(7),
            of: device)
        #expect(bench.run { credentials.asked(later, &$0) }.effects.isEmpty)
        let answered = bench.run {
            credentials.answered(first.operations[0], .vault(.opened(.wiped, nil)), &$0)
        }
        #expect(answered.commands.count == 1)
        credentials.barred([device.id])
        let last = bench.run { credentials.answered(answered.operations[0], .vault(.opened(.wiped, nil)), &$0) }
        #expect(last.effects.isEmpty)
    }

    @Test("Who holds the credential decides which requests are allowed")
    func modes() {
        let login = PhoneRequest.login(Sample.secret())
        let store = PhoneRequest.storeCredential(
            pin: Sample.secret("4711"), deviceSecret: Sample.secret(), credential: Sample.secret())
        #expect(Credentials.refusal(Sample.request(login)) == nil)
        #expect(Credentials.refusal(Sample.request(login, of: device)) == .notAllowed)
        #expect(Credentials.refusal(Sample.request(store)) == .notAllowed)
        #expect(Credentials.refusal(Sample.request(store, of: device)) == nil)
    }
}
