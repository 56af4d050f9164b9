import ControlProtocol
import Testing

@testable import BoxAgentCommand

@Suite("Which entries of the audit log are shown")
struct AuditFilterTests {
    static func entry(
        _ number: UInt64, at seconds: UInt64 = 0, event: String = "login-correct", user: String? = nil,
        device: String? = nil
    ) -> AuditListing {
        AuditListing(
            number: number, unixSeconds: seconds, event: Array(event.utf8), user: user.map { Array($0.utf8) },
            device: device.map { Array($0.utf8) }, detail: [], actor: nil)
    }

    private func numbers(_ filter: AuditFilter, _ entries: [AuditListing]) -> [UInt64] {
        entries.filter(filter.shows).map(\.number)
    }

    @Test("Without any choice everything is shown")
    func everything() {
        #expect(numbers(AuditFilter(), [Self.entry(1), Self.entry(2, user: "anna", device: "7k2m")]) == [1, 2])
        #expect(!AuditFilter().picksOut)
    }

    @Test("The first second counts, the last does not, and a clock that was set back hides nothing")
    func times() {
        let entries = [99, 100, 199, 200, 150, .max].enumerated().map { Self.entry(UInt64($0 + 1), at: $1) }
        #expect(numbers(AuditFilter(since: 100, until: 200), entries) == [2, 3, 5])
        #expect(numbers(AuditFilter(since: 200), entries) == [4, 6])
        #expect(numbers(AuditFilter(until: 100), entries) == [1])
    }

    @Test("A user is the whole name, a device one of the ids, an event one of the words; all choices hold together")
    func choices() {
        let entries = [
            Self.entry(1, user: "anna", device: "aaaa"), Self.entry(2, user: "annabel", device: "bbbb"),
            Self.entry(3, event: "pin-wrong", user: "anna", device: "bbbb"), Self.entry(4, event: "pin-wrong"),
        ]
        #expect(numbers(AuditFilter(user: AccountName("anna")), entries) == [1, 3])
        #expect(numbers(AuditFilter(devices: [Array("bbbb".utf8), Array("cccc".utf8)]), entries) == [2, 3])
        #expect(numbers(AuditFilter(devices: []), entries) == [])
        #expect(numbers(AuditFilter(kinds: [Array("pin-wrong".utf8)]), entries) == [3, 4])
        let renamed = AuditFilter(user: AccountName("nobody"), devicesOfUser: [Array("bbbb".utf8)])
        #expect(numbers(renamed, entries) == [2, 3], "entries of the user's device have an earlier spelling")
        let all = AuditFilter(
            since: 0, until: 1, user: AccountName("anna"), devices: [Array("bbbb".utf8)],
            kinds: [Array("x".utf8), Array("pin-wrong".utf8)])
        #expect(numbers(all, entries) == [3])
    }

    @Test("A name means every phone that has it as label, user or beginning of its id; a full id means one")
    func devices() throws {
        func device(_ id: String, _ label: String) -> DeviceListing {
            DeviceListing(
                id: Array(id.utf8), user: Array("anna".utf8), label: Array(label.utf8), credential: .phoneHeld,
                state: .revoked,
                enrolledUnixSeconds: 0, lastUsedUnixSeconds: nil, connected: false, pinAttemptsLeft: nil,
                credentialStale: false)
        }
        let listed = [device("7k2m", "work"), device("7k3n", "home"), device("abcd", "work"), device("wxyz", "7k2m")]
        func ids(_ name: String) throws -> [String] {
            try AuditFilterOptions.devices(named: name, among: listed).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try ids("work") == ["7k2m", "abcd"])
        // A full id names that phone, even if another phone has the id as its name.
        #expect(try ids("7k2m") == ["7k2m"])
        #expect(try ids("7K3") == ["7k3n"])
        #expect(try ids("7k") == ["7k2m", "7k3n"])
        for name in ["nobody", ""] {
            do {
                Issue.record("'\(name)' is \(try ids(name))")
            } catch let failure as CommandFailure {
                #expect(failure.status == .negative && !failure.cure.isEmpty)
            }
        }
    }
}

@Suite("A record that is followed")
struct AuditPlaceTests {
    private func page(_ numbers: ClosedRange<UInt64>, at seconds: UInt64 = 0) -> [AuditListing] {
        numbers.map { AuditFilterTests.entry($0, at: seconds) }
    }

    @Test("Each entry comes once, and the last one is asked for again with the next question")
    func once() {
        var place = AuditPlace(after: 0)
        #expect(place.question == 0)
        #expect(place.take([]) == .fresh([], dropped: nil))
        #expect(place.take(page(1...3)) == .fresh(page(1...3), dropped: nil))
        #expect(place.question == 2)
        #expect(place.take(page(3...3)) == .fresh([], dropped: nil))
        #expect(place.take(page(3...5)) == .fresh(page(4...5), dropped: nil))
        #expect(place.question == 4)
    }

    @Test("A beginning that was pruned long ago is nothing to tell, entries that were pruned unseen are")
    func pruned() {
        var place = AuditPlace(after: 0)
        #expect(place.take(page(301...302)) == .fresh(page(301...302), dropped: nil))
        #expect(place.take(page(303...304)) == .fresh(page(303...304), dropped: nil))
        #expect(place.take(page(310...310)) == .fresh(page(310...310), dropped: 305...309))
        place = AuditPlace(after: 7)
        #expect(place.take(page(9...9)) == .fresh(page(9...9), dropped: 8...8))
    }

    @Test("A record that ends sooner than before, says something else, or lacks an entry is another one")
    func changed() {
        for (next, number) in [([], 3), (page(3...4, at: 1), 3), (page(2...4), 3)] as [([AuditListing], UInt64)] {
            var place = AuditPlace(after: 0)
            _ = place.take(page(1...3))
            #expect(place.take(next) == .changed(number))
        }
        var place = AuditPlace(after: 0)
        #expect(place.take(page(1...2) + page(4...4)) == .changed(3))
    }
}
