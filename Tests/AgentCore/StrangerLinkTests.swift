import Links
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Links of keys that the vault does not know, at a box of a site")
struct StrangerLinkTests {
    private let bench: BoxEndBench

    init() throws {
        bench = try BoxEndBench()
    }

    private func shakeHands(_ bench: BoxEndBench, _ record: DeviceRecord? = nil) throws {
        try bench.phone.start(bench.keys, now: bench.now)
        bench.carry()
        bench.feed(.found(record))
        #expect(bench.phone.handshakeHash.isEmpty, "nothing is answered before the agent says so")
        bench.feed(.admit)
        bench.feed(.heard)
    }

    private func hello(_ bench: BoxEndBench) throws {
        try bench.ask(
            1,
            .hello(
                versions: [MessageLimits.protocolVersion], capabilities: [],
                grant: .hash([UInt8](repeating: 1, count: 16))))
    }

    private var strangers: Int {
        bench.told.filter { if case .provedStranger = $0 { true } else { false } }.count
    }

    @Test("Message 2 goes out once the agent says so, and the key counts once a transport message has decrypted")
    func proves() throws {
        try shakeHands(bench)
        #expect(bench.phone.handshakeHash.count == 32 && strangers == 0)
        try hello(bench)
        #expect(bench.reads == 1)
        bench.feed(.read(nil))
        #expect(strangers == 1 && bench.asked.isEmpty)
        bench.feed(.heard)
        bench.feed(.admit)
        #expect(bench.asked == [1])
    }

    @Test("A stranger has three seconds to prove itself, a phone that the vault knows fifteen")
    func threeSeconds() throws {
        try shakeHands(bench)
        bench.wait(.milliseconds(2_999))
        #expect(bench.closed == nil)
        bench.wait(.milliseconds(1))
        #expect(bench.closed == .notAuthenticated)
    }

    @Test("Nothing behind hello is read before its grant counts")
    func held() throws {
        try shakeHands(bench)
        try hello(bench)
        bench.feed(.read(nil))
        bench.feed(.heard)
        bench.feed(.admit)
        bench.feed(.heard)
        try bench.ask(2, .status)
        #expect(bench.asked == [1])
        bench.feed(.admit)
        #expect(bench.asked == [1, 2])
    }

    @Test("A device of the site is held in the same way, also one that was written down in between")
    func knownPhone() throws {
        var record = Sample.record()
        record = DeviceRecord(
            id: record.id, publicKey: record.publicKey, user: record.user, label: [], mode: .phoneHeld, isOfSite: true,
            state: .active, enrolledAt: 0, lastUsedAt: nil)
        for found in [record, nil] {
            let bench = try BoxEndBench()
            try bench.phone.start(bench.keys, now: bench.now)
            bench.carry()
            bench.feed(.found(found))
            if found == nil {
                bench.feed(.admit)
                bench.feed(.heard)
            }
            try hello(bench)
            bench.feed(.read(DeviceSheet(record: record)))
            bench.feed(.heard)
            bench.feed(.admit)
            bench.feed(.heard)
            try bench.ask(2, .status)
            #expect(bench.asked == [1])
        }
    }

    @Test("A device of the site that was taken back is a stranger again; a local one that was revoked is nobody")
    func revoked() throws {
        let local = Sample.record(state: .revoked)
        let taken = DeviceRecord(
            id: local.id, publicKey: local.publicKey, user: local.user, label: [], mode: .phoneHeld, isOfSite: true,
            state: .revoked, enrolledAt: 0, lastUsedAt: nil)
        try shakeHands(bench, taken)
        try hello(bench)
        bench.feed(.read(DeviceSheet(record: taken)))
        #expect(strangers == 1)
        let other = try BoxEndBench()
        try other.phone.start(other.keys, now: other.now)
        other.carry()
        other.feed(.found(local))
        #expect(other.closed == .unknownDevice)
    }

    @Test("Strangers have half of the places for half-open links; the one that asks for most gives way")
    func places() {
        var admission = LinkAdmission(halfOpenLimit: 8)
        for number in UInt64(1)...8 {
            #expect(admission.arrived(Sample.channel(number), over: "c\(number)").isEmpty)
        }
        for number in UInt64(1)...4 { #expect(admission.strangerCame(Sample.channel(number)).isEmpty) }
        #expect(admission.strangerCame(Sample.channel(5)) == [Sample.channel(1)])
        #expect(admission.halfOpenCount == 7, "the others are still there")
        admission.left(Sample.channel(2), failed: true)
        #expect(admission.strangerCame(Sample.channel(6)).isEmpty)
        _ = admission.authenticated(Sample.channel(3), device: [1])
        #expect(admission.strangerCame(Sample.channel(7)).isEmpty)
    }
}
