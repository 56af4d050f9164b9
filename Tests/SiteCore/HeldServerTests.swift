import Secrets
import SecureChannel
import SiteLink
import SiteTrust
import Testing
import VaultPort

@testable import SiteCore

@Suite("A server and what boxes carry of phones whose credentials it holds")
final class HeldServerTests {
    private typealias Fixture = HeldFixture
    private let held: HeldFixture
    private let phone = X25519KeyPair()
    private let channel = [UInt8](repeating: 7, count: 32)

    init() throws { held = try HeldFixture() }

    private func carried(_ number: UInt32 = 1, box: Int = 1, counter: UInt64 = 6) throws -> CarriedRequest {
        let action = HeldRequest.Action.open(pinKey: Fixture.secret(1))
        let content = try wanted(HeldRequest(counter: counter, action: action).encoded())
        let prologue = HeldRequest.prologue(
            site: ServerFixture.site, boxKey: ServerFixture.key(box), channel: channel)
        let sealed = try OneWayMessage<XChaChaPoly>.seal(
            content, prologue: prologue, from: phone, to: held.keys.sitePublicKey)
        return try #require(CarriedRequest(number: number, channel: channel, sealed: sealed))
    }

    private func server() throws -> TestServer { try TestServer(holding: held.holding()) }

    private func wishes(_ effects: [SiteEffect]) -> [HeldWish] {
        effects.compactMap { if case .hold(_, let wish) = $0 { wish } else { nil } }
    }

    private func answers(_ effects: [SiteEffect], _ id: LinkID) -> [HeldAnswer] {
        effects.said(to: id).compactMap { if case .held(let answer) = $0 { answer } else { nil } }
    }

    private var opened: HeldAnswer.Outcome { .opened(OpenedCredential(Fixture.secret(0x61, 13)), triesLeft: 10) }

    @Test("What was made for this box goes to the database, and its answer to that link alone")
    func asked() throws {
        var server = try server()
        let (id, _) = try server.link(1)
        let (other, _) = try server.link(2)
        let wish = try #require(wishes(server.feed(.said(id, .ask(try carried(77))))).first)
        #expect(wish.phoneKey == phone.publicKey && wish.box.id == 1 && wish.number == 77)
        let effects = server.feed(.held(id, wish, HeldResult(opened, grant: try Fixture.grant().facts)))
        #expect(answers(effects, id) == [HeldAnswer(number: 77, outcome: opened)])
        #expect(answers(effects, other).isEmpty)
    }

    @Test("What was made for another box or channel is nothing here, and costs no question")
    func elsewhere() throws {
        var server = try server()
        let (id, _) = try server.link(2)
        let effects = server.feed(.said(id, .ask(try carried())))
        #expect(wishes(effects).isEmpty)
        #expect(answers(effects, id) == [HeldAnswer(number: 1, outcome: .refused)])
        let request = try carried(box: 2)
        let moved = try #require(
            CarriedRequest(number: 2, channel: [UInt8](repeating: 8, count: 32), sealed: request.sealed))
        #expect(wishes(server.feed(.said(id, .ask(moved)))).isEmpty)
    }

    @Test("A credential whose phone was taken back while it was opened goes nowhere")
    func takenBack() throws {
        var server = try server()
        let (id, _) = try server.link(1)
        let wish = try #require(wishes(server.feed(.said(id, .ask(try carried())))).first)
        let subject = RevokedSubject.phone(key: Fixture.phone)
        let entry = try Revocation.sign(
            RevocationFacts(
                subject: subject, expiry: ServerFixture.start + 31 * ServerFixture.day,
                generation: ServerFixture.ordinal(1)),
            site: ServerFixture.site, issuer: ServerFixture.key(.revocations))
        _ = server.refresh(entries: [(1, entry)])
        let effects = server.feed(.held(id, wish, HeldResult(opened, grant: try Fixture.grant().facts)))
        #expect(answers(effects, id) == [HeldAnswer(number: 1, outcome: .refused)])
    }

    @Test("A box that was removed meanwhile hears nothing")
    func removed() throws {
        var server = try server()
        let (id, _) = try server.link(1)
        let wish = try #require(wishes(server.feed(.said(id, .ask(try carried())))).first)
        _ = server.refresh(boxes: [ServerFixture.box(1, .removed)])
        let effects = server.feed(.held(id, wish, HeldResult(opened, grant: try Fixture.grant().facts)))
        #expect(answers(effects, id).isEmpty)
    }

    @Test("All links together have no more tries under way than the database may wait for")
    func boundedInAll() throws {
        let boxes = 33
        var server = try TestServer(
            boxes: (1...boxes).map { ServerFixture.box(Int64($0)) }, holding: held.holding())
        var asked = 0
        for box in 1..<boxes {
            let (id, _) = try server.link(box, from: "192.0.2.\(box)")
            for number in 0..<8 {
                let request = try carried(UInt32(number), box: box, counter: UInt64(number))
                asked += wishes(server.feed(.said(id, .ask(request)))).count
            }
        }
        #expect(asked == 256)
        let (last, _) = try server.link(boxes, from: "192.0.2.\(boxes)")
        let effects = server.feed(.said(last, .ask(try carried(9, box: boxes))))
        #expect(wishes(effects).isEmpty && answers(effects, last) == [HeldAnswer(number: 9, outcome: .notNow)])
    }

    @Test("One link has eight under way")
    func bounded() throws {
        var server = try server()
        let (id, _) = try server.link(1)
        var waiting: [HeldWish] = []
        for number in 0..<8 {
            waiting += wishes(server.feed(.said(id, .ask(try carried(UInt32(number), counter: UInt64(number))))))
        }
        #expect(waiting.count == 8)
        let effects = server.feed(.said(id, .ask(try carried(9))))
        #expect(wishes(effects).isEmpty && answers(effects, id) == [HeldAnswer(number: 9, outcome: .notNow)])
        _ = server.feed(.held(id, waiting[0], HeldResult(.pinWrong(triesLeft: 3))))
        #expect(wishes(server.feed(.said(id, .ask(try carried(10))))).count == 1)
    }

    @Test("A box that carries rubbish, or the same again and again, is not looked at any more on that link")
    func rubbish() throws {
        var server = try server()
        let (id, _) = try server.link(1)
        let rubbish = try #require(
            CarriedRequest(number: 1, channel: channel, sealed: [UInt8](repeating: 9, count: 138)))
        var lines = 0
        for _ in 0..<60 {
            let effects = server.feed(.said(id, .ask(rubbish)))
            lines += effects.filter { if case .log = $0 { true } else { false } }.count
            #expect(answers(effects, id).map(\.outcome) == [.refused])
        }
        #expect(lines == 6, "1, 2, 4, 8, 16, 32")
        #expect(wishes(server.feed(.said(id, .ask(try carried())))).isEmpty, "what is good comes too late")
        let (again, _) = try server.link(1)
        #expect(wishes(server.feed(.said(again, .ask(try carried())))).count == 1)
    }

    @Test("While the database is away, and at a server without the site's key, the answer comes at once")
    func away() throws {
        var server = try server()
        let (id, _) = try server.link(1)
        _ = server.feed(.databaseLost)
        server.now += .seconds(6)
        #expect(answers(server.feed(.said(id, .ask(try carried()))), id).map(\.outcome) == [.notNow])
        var without = try TestServer()
        let (other, _) = try without.link(1)
        #expect(answers(without.feed(.said(other, .ask(try carried()))), other).map(\.outcome) == [.notNow])
    }

    @Test("A destroyed credential is worth a line for whoever looks after the site")
    func wiped() throws {
        var server = try server()
        let (id, _) = try server.link(1)
        let wish = try #require(wishes(server.feed(.said(id, .ask(try carried())))).first)
        let facts = try Fixture.grant().facts
        let effects = server.feed(.held(id, wish, HeldResult(.wiped, grant: facts, hasWiped: true)))
        #expect(effects.errors.count == 1 && answers(effects, id).map(\.outcome) == [.wiped])
        // A second request gets the same answer, and adds no line to the log.
        let again = try #require(wishes(server.feed(.said(id, .ask(try carried(2, counter: 7))))).first)
        let later = server.feed(.held(id, again, HeldResult(.wiped, grant: facts)))
        #expect(later.errors.isEmpty && answers(later, id).map(\.outcome) == [.wiped])
        let tally = ServerFigures(of: server.machine, now: server.now).phones
        #expect(tally.wipes == 1 && tally.held == [.wiped: 2])
    }
}
