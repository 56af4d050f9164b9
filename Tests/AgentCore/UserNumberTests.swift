import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Phones whose user's name belongs to another account now")
struct UserNumberTests {
    private var box = MachineBench()

    private mutating func numbered(_ isOther: Bool) -> Said {
        let device = [Sample.record().id]
        return box.feed(.numbered(accepted: isOther ? [] : device, others: isOther ? device : []))
    }

    @Test("A tap that waits is answered and given to no program")
    mutating func held() {
        box.connect()
        _ = box.ask(.login(Sample.secret()))
        #expect(box.isTapHeld)
        #expect(numbered(true).told == ["1.2 notAllowed"])
        #expect(!box.isTapHeld)
        #expect(!box.program().handsOver)
    }

    @Test("Nothing is opened, stored or unlocked for the phone, and no PIN try is spent, but it may still lock")
    mutating func requests() {
        box.connect()
        _ = box.feed(.logind(.unavailable("there is none")))
        _ = numbered(true)
        let secret = Sample.secret()
        let refused: [PhoneRequest] = [
            .login(secret), .loginWithPIN(pin: secret, deviceSecret: secret), .unlock,
            .storeCredential(pin: secret, deviceSecret: secret, credential: secret),
            .changePIN(old: secret, new: secret, deviceSecret: secret), .setAutoLogout(seconds: 60),
        ]
        for (number, request) in refused.enumerated() {
            let said = box.ask(request, UInt32(number) + 2)
            #expect(said.results == [.notAllowed] && said.operations.isEmpty, "\(request)")
        }
        #expect(box.ask(.lock, 90).results == [.noSession])
        #expect(box.ask(.status, 91).results == [.correct])
    }

    @Test("A credential that is opened meanwhile is dropped")
    mutating func opened() {
        box.connect(1, Sample.sheet(mode: .boxHeld))
        let tries = box.tryPIN()
        _ = numbered(true)
        #expect(box.answer(tries[0], MachineBench.rightPIN).results == [.notAllowed])
        #expect(!box.isTapHeld)
    }

    @Test("What the vault knows counts without an answer of the user database, and an accepted phone logs in again")
    mutating func stored() {
        _ = numbered(true)
        box.connect()
        #expect(box.ask(.login(Sample.secret())).results == [.notAllowed])
        _ = numbered(false)
        _ = box.ask(.login(Sample.secret()), 3)
        #expect(box.isTapHeld)
    }

    @Test("A credential that a lookup at the handover refuses is answered, and its program counts as gone")
    mutating func handover() {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        let looked = box.answer(tapped.operations[0], .seats([Sample.program(): Sample.atSeat]))
        #expect(looked.handsOver && box.machine.mayHandOver(to: Sample.program()))
        _ = numbered(true)
        #expect(!box.machine.mayHandOver(to: Sample.program()))
        #expect(box.answer(looked.operations[0], .handedOver(.refused)).results == [.notAllowed])
    }

    @Test("A request of sudo is shown only on a phone of the account, and again once the phone is accepted")
    mutating func elevation() throws {
        box = MachineBench(Bench { $0.elevation.services = ["sudo"] })
        box.connect()
        _ = numbered(true)
        var session = LogindSession(id: "c1")
        (session.sessionClass, session.seat, session.isActive, session.user) = ("user", "seat0", true, "alice")
        func asked(_ number: UInt64) throws -> [ProgramMessage] {
            let asks = Sample.asks("alice", service: "sudo")
            let asked = box.feed(.program(Sample.program(number), .asks(asks, Sample.root)))
            let place = Answer.elevationPlace((session: session, isInBackground: false))
            return box.answer(try #require(asked.operations.first), place).toPrograms
        }
        #expect(try asked(1) == [.refused(.noPhone)])
        _ = numbered(false)
        #expect(try asked(2) == [.asking])
    }
}
