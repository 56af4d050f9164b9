import ControlProtocol
import Secrets
import SiteLink
import SiteTrust
import Testing
import VaultPort

@testable import AgentCore

@Suite("Joining a site")
struct SiteJoiningTests {
    private func failure(_ bench: SiteBench) -> (kind: FailureKind, what: String)? {
        if case .failure(let kind, let what, _)? = bench.replies.last { (kind, what) } else { nil }
    }

    @Test("From the code to the certificate: handshake with the code's secret, hello, and a member once it is on disk")
    func happyPath() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        #expect(bench.names == ["connect"])
        bench.hear(.greeted(try ModelSite.greeting()))
        guard case .join(let key, let codeID, let secret)? = bench.orders.last?.1 else {
            Issue.record("no handshake")
            return
        }
        #expect(key == ModelSite.serverKey && codeID == [UInt8](repeating: 8, count: 8) && secret.count == 32)
        bench.hear(.established)
        guard case .hello(let hello)? = bench.messages.last else {
            Issue.record("no hello")
            return
        }
        #expect(hello.document == ModelSite.ordinal(3) && hello.number == 0 && hello.time == 0)
        #expect(hello.program == ModelSite.box.program)
        bench.say(.certificate(try ModelSite.certificate()), holdingVault: true)
        #expect(bench.site == nil, "it does not count before it is written")
        bench.answerAll()
        #expect(bench.site != nil)
        #expect(bench.kept?.document == (try ModelSite.document()).bytes)
        #expect(bench.kept?.servers == [ModelSite.address])
        guard case .done(let text)? = bench.replies.last else {
            Issue.record("not told")
            return
        }
        #expect(text == "joined site 34750f98bd59fcfc946da45aaabe933b; this box has number 004711 there")
    }

    @Test("What the server says before the certificate is written is looked at afterwards, and a durable head is told")
    func waitsForTheDisk() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.greeted(try ModelSite.greeting()))
        bench.hear(.established)
        let entry = try ModelSite.entry(1)
        bench.say(.certificate(try ModelSite.certificate()), holdingVault: true)
        bench.say(.entries([entry]), holdingVault: true)
        bench.say(.head(try ModelSite.head(1, of: [entry])), holdingVault: true)
        bench.answerAll()
        #expect(bench.kept?.entries == [entry.bytes])
        #expect(bench.kept?.head != nil && bench.kept?.hours?.spent == 1 && bench.kept?.time?.seconds == 1_800_000_000)
        #expect(bench.messages.last == .took(number: 1))
    }

    @Test("A server of another root is not shaken hands with, and the next one is asked")
    func otherRoot() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code([ModelSite.address, ModelSite.other]))
        bench.hear(.greeted(try ModelSite.greeting(root: .stranger)))
        #expect(bench.names == ["connect", "close", "connect"])
        bench.hear(.greeted(try ModelSite.greeting(root: .stranger)))
        let failure = try #require(self.failure(bench))
        #expect(failure.kind == .invalid && failure.what.contains("does not belong to the code's site"))
        #expect(bench.room.deadline == nil)
    }

    @Test("A server whose certificate no issuer of servers has signed is not shaken hands with")
    func notAServer() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.greeted(try ModelSite.greeting(by: .boxes)))
        #expect(bench.names == ["connect", "close"])
        #expect(failure(bench)?.kind == .invalid)
    }

    @Test(
        "Each refusal of the code ends the joining in its words",
        arguments: [SiteRefusal.codeUsed, .codeExpired, .removed, .suspended, .unknownBox])
    func refused(refusal: SiteRefusal) throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.greeted(try ModelSite.greeting()))
        bench.hear(.established)
        bench.say(.refused(refusal))
        let failure = try #require(self.failure(bench))
        #expect(failure.kind == .declined && failure.what == refusal.text)
        #expect(bench.kept == nil)
    }

    @Test("A server that is not ready is asked again; the time limit ends it")
    func notNow() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        for _ in 0..<3 {
            bench.hear(.greeted(try ModelSite.greeting()))
            bench.hear(.established)
            bench.say(.refused(.notNow))
            bench.pass(SiteJoining.pause)
        }
        #expect(bench.names.filter { $0 == "connect" }.count == 4)
        bench.pass(.seconds(60))
        let failure = try #require(self.failure(bench))
        #expect(failure.kind == .timedOut && failure.what.contains("cannot reach its database"))
        #expect(bench.names.last == "close")
    }

    @Test("A box that the site knows already, since it lost what it wrote, becomes a member without the code")
    func knownAlready() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.greeted(try ModelSite.greeting()))
        bench.hear(.established)
        bench.say(.refused(.alreadyJoined))
        bench.pass(SiteJoining.pause)
        bench.hear(.greeted(try ModelSite.greeting()))
        #expect(bench.names.last == "shake")
        bench.hear(.established)
        bench.say(.certificate(try ModelSite.certificate()))
        #expect(bench.site != nil)
    }

    @Test("A code that is damaged, of a server that hangs up in the handshake, or no code at all, is told as such")
    func wrongCode() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(HeldSecret(SecretBytes(copying: [UInt8]("boxlink:1?k=x".utf8))))
        #expect(failure(bench)?.kind == .invalid && bench.orders.isEmpty)
        bench.join(try ModelSite.code())
        bench.hear(.greeted(try ModelSite.greeting()))
        bench.hear(.ended(.dropped, random: 3))
        #expect(failure(bench)?.kind == .invalid)
        #expect(failure(bench)?.what.contains("does not accept the code") == true)
    }

    @Test("Where no server can be reached, it is tried until the time limit, and why is told")
    func unreachable() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.ended(.noConnection("nobody listens"), random: 3))
        bench.pass(.seconds(2))
        bench.hear(.ended(.noConnection("nobody listens"), random: 3))
        let stages = bench.replies.compactMap { if case .joinStage(let text) = $0 { text } else { nil } }
        #expect(stages == ["asking the server 192.0.2.10:4711", "192.0.2.10:4711: nobody listens; trying again"])
        bench.pass(.seconds(58))
        let failure = try #require(self.failure(bench))
        #expect(failure.kind == .timedOut && failure.what.contains("192.0.2.10:4711: nobody listens"))
    }

    @Test("Where this machine forbids the agent the only server, nobody waits for the time limit")
    func forbidden() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.ended(.forbidden("this program may not connect to 192.0.2.10:4711"), random: 3))
        let failure = try #require(self.failure(bench))
        #expect(failure.what.contains("may not connect"))
        #expect(bench.orders.count { if case .connect = $0.1 { true } else { false } } == 1)
    }

    @Test("A certificate for another box, or that cannot be written, makes no member")
    func noMember() throws {
        for fails in [false, true] {
            var bench = SiteBench()
            bench.start()
            bench.join(try ModelSite.code())
            bench.hear(.greeted(try ModelSite.greeting()))
            bench.hear(.established)
            bench.vaultFails = fails
            bench.say(.certificate(try ModelSite.certificate(boxKey: fails ? ModelSite.boxKey : ModelSite.x25519(23))))
            #expect(failure(bench)?.kind == .fault)
            #expect(bench.site == nil && bench.kept == nil && bench.names.last == "close")
        }
    }

    @Test("Who belongs to a site, or is joining one, joins no other; who gives up the command gives up joining")
    func onlyOnce() throws {
        var bench = try SiteBench.member()
        bench.join(try ModelSite.code())
        #expect(failure(bench)?.what.contains("already") == true)
        var second = SiteBench()
        second.start()
        second.join(try ModelSite.code())
        second.join(try ModelSite.code())
        #expect(failure(second)?.kind == .busy)
        second.run { $0.controlLeft(Sample.control(), &$1) }
        #expect(second.names == ["connect", "close"] && second.room.deadline == nil)
    }

    @Test("A link that ends while the certificate is being written is not begun anew with the code: the member links")
    func endsWhileWriting() throws {
        var bench = SiteBench()
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.greeted(try ModelSite.greeting()))
        bench.hear(.established)
        bench.say(.certificate(try ModelSite.certificate()), holdingVault: true)
        bench.hear(.ended(.dropped, random: 1), holdingVault: true)
        #expect(bench.room.deadline == nil)
        bench.bench.pass(.seconds(90))
        bench.run(holdingVault: true) { $0.timeHasCome(&$1) }
        #expect(bench.names.filter { $0 == "connect" }.count == 1)
        bench.answerAll()
        #expect(bench.site != nil)
        guard case .done? = bench.replies.last else {
            Issue.record("not told")
            return
        }
        #expect(bench.names.filter { $0 == "connect" }.count == 2)
        bench.hear(.greeted(try ModelSite.greeting()))
        #expect(bench.names.last == "shake")
    }
}
