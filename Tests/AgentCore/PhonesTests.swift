import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Links from phones, and who is at their other end")
struct PhonesTests {
    private var bench = Bench()
    private var phones: Phones

    init() {
        phones = Phones(bench.policy)
    }

    private static func hello(_ number: UInt32 = 1) -> PhoneRequestMessage {
        PhoneRequestMessage(
            id: testRequest(number), request: .hello(versions: [MessageLimits.protocolVersion], capabilities: .presence)
        )
    }

    @discardableResult
    private mutating func connected(_ number: UInt64 = 1, device: UInt8 = 1) -> Said {
        _ = bench.run { phones.arrived(Sample.channel(number), over: "c\(number)", &$0) }
        _ = bench.run { phones.proved(Sample.channel(number), Sample.sheet(device), &$0) }
        let said = bench.run { phones.asked(Sample.channel(number), Self.hello(), &$0) }
        phones.answered(testRequest(1), on: Sample.channel(number))
        return said
    }

    private mutating func asks(_ request: PhoneRequest, _ number: UInt32, on channel: UInt64 = 1) -> Said {
        bench.run {
            phones.asked(Sample.channel(channel), PhoneRequestMessage(id: testRequest(number), request: request), &$0)
        }
    }

    @Test("Nothing that a link says counts before it has proved who it is")
    mutating func halfOpen() {
        _ = bench.run { phones.arrived(Sample.channel(), over: "c", &$0) }
        let said = asks(.status, 2)
        #expect(said.effects.isEmpty && said.facts.isEmpty)
    }

    @Test("A device that was revoked between its proof and now is not admitted")
    mutating func revokedBefore() {
        _ = bench.run { phones.arrived(Sample.channel(), over: "c", &$0) }
        _ = bench.run { _ = phones.bar([testDevice(1)], &$0) }
        let said = bench.run { phones.proved(Sample.channel(), Sample.sheet(), &$0) }
        #expect(said.finished == [.revoked])
        #expect(!said.effects.contains { if case .admit = $0 { true } else { false } })
        #expect(phones.authenticatedCount == 0)
    }

    @Test("The fifth request that is open at once is answered busy; an answer makes room")
    mutating func openLimit() {
        connected()
        for number in UInt32(2)...5 { #expect(asks(.lock, number).results.isEmpty) }
        #expect(asks(.lock, 6).results == [.busy])
        phones.answered(testRequest(6), on: Sample.channel())
        phones.answered(testRequest(3), on: Sample.channel())
        #expect(asks(.lock, 7).results.isEmpty)
    }

    @Test("An id that is used again counts each time, and the refusal of one closes no other")
    mutating func repeatedID() {
        connected()
        for _ in 0..<4 { #expect(asks(.lock, 2).results.isEmpty) }
        for _ in 0..<20 {
            #expect(asks(.lock, 2).results == [.busy])
            phones.answered(testRequest(2), on: Sample.channel())
        }
    }

    @Test("Reports of signal take no place among open requests")
    mutating func reports() {
        connected()
        for number in UInt32(2)...20 { #expect(asks(.reportSignal(dBm: -60), number).facts.count == 1) }
    }

    @Test("From the moment of its revocation a device's channels are deaf, and nothing that it asks is heard")
    mutating func barred() {
        connected()
        connected(2)
        connected(3, device: 2)
        let said = bench.run { _ = phones.bar([testDevice(1)], &$0) }
        let muted = said.effects.compactMap { if case .mute(let id) = $0 { id.number } else { nil } }
        #expect(muted == [1, 2])
        #expect(asks(.login(Sample.secret()), 2).facts.isEmpty)
        let hello = asks(.hello(versions: [MessageLimits.protocolVersion], capabilities: []), 3)
        #expect(hello.facts.isEmpty && hello.effects.isEmpty)
        #expect(asks(.login(Sample.secret()), 2, on: 3).facts.count == 1)
    }

    @Test("A wish that the vault stores after the revocation is answered to nobody")
    mutating func storedLate() {
        connected()
        let request = Sample.request(.setAutoLogout(seconds: 900))
        let asked = bench.run { phones.setAutoLogout(request, 900, &$0) }
        _ = bench.run { _ = phones.bar([testDevice(1)], &$0) }
        let said = bench.run { phones.answered(asked.operations[0], .vault(.done), &$0) }
        #expect(said.effects.isEmpty && said.facts.isEmpty)
    }

    @Test("A wish is told only when it is stored, and not kept when it could not be")
    mutating func durable() {
        connected()
        let request = Sample.request(.setAutoLogout(seconds: 900))
        let asked = bench.run { phones.setAutoLogout(request, 900, &$0) }
        #expect(asked.results.isEmpty)
        let failed = bench.run { phones.answered(asked.operations[0], .vault(.failed(.diskFull)), &$0) }
        #expect(failed.results == [.boxFault])
        #expect(phones.sheet(of: testDevice(1))?.autoLogout == nil)
        let again = bench.run { phones.setAutoLogout(request, 900, &$0) }
        let stored = bench.run { phones.answered(again.operations[0], .vault(.done), &$0) }
        #expect(stored.results == [.correct])
        #expect(phones.sheet(of: testDevice(1))?.autoLogout == 900)
    }

    @Test("The last channel of a device is told of as the last")
    mutating func last() {
        connected()
        connected(2)
        let first = bench.run { phones.left(Sample.channel(1), .linkClosed, peer: "p", &$0) }
        let second = bench.run { phones.left(Sample.channel(2), .linkClosed, peer: "p", &$0) }
        let lasts = (first.facts + second.facts).compactMap { fact -> Bool? in
            if case .phone(.channelLeft(_, _, let last)) = fact { last } else { nil }
        }
        #expect(lasts == [false, true])
        // The end of a forgotten channel reports nothing.
        #expect(bench.run { phones.forget(Sample.channel(2), &$0) }.facts.isEmpty)
    }

    @Test("What the machine knows of a device is newer than what another channel of it has read")
    mutating func newerSheet() {
        connected()
        let request = Sample.request(.setAutoLogout(seconds: 900))
        let asked = bench.run { phones.setAutoLogout(request, 900, &$0) }
        _ = bench.run { phones.answered(asked.operations[0], .vault(.done), &$0) }
        connected(2)
        #expect(phones.sheet(of: testDevice(1))?.autoLogout == 900)
    }

    @Test("A second hello is refused, and changes nothing")
    mutating func secondHello() {
        connected()
        let again = bench.run { phones.asked(Sample.channel(), Self.hello(9), &$0) }
        #expect(again.results == [.badRequest])
        #expect(phones.understands(.presence, Sample.channel()))
    }
}
