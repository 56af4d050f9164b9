import ControlProtocol
import SiteLink
import SiteTrust
import Testing
import VaultPort

@testable import AgentCore

@Suite("A box that belongs to a site")
struct SiteMembershipTests {
    @Test("After a start it links at once, and says what it holds")
    func links() throws {
        var first = try SiteBench.member()
        first.say(.entries([try ModelSite.entry(1)]))
        first.say(.head(try ModelSite.head(2, of: [try ModelSite.entry(1)], time: ModelSite.start + 60)))
        var bench = SiteBench()
        bench.kept = first.kept
        bench.start()
        #expect(bench.names == ["connect"])
        bench.hear(.greeted(try ModelSite.greeting()))
        #expect(bench.names == ["connect", "shake"])
        bench.hear(.established)
        guard case .hello(let hello)? = bench.messages.last else {
            Issue.record("no hello")
            return
        }
        #expect(hello.number == 2 && hello.time == ModelSite.start + 60)
        #expect(bench.site == first.site)
    }

    @Test("An entry counts once it is written, and what comes meanwhile waits")
    func durable() throws {
        var bench = try SiteBench.member()
        let entry = try ModelSite.entry(1)
        bench.forget()
        bench.say(.entries([entry]), holdingVault: true)
        bench.say(.head(try ModelSite.head(2, of: [entry], time: ModelSite.start + 60)), holdingVault: true)
        #expect(bench.site?.revocations.count == 0 && bench.commands.count == 1 && bench.messages.isEmpty)
        bench.answerAll()
        #expect(bench.site?.revocations.count == 1)
        #expect(bench.messages == [.took(number: 2)])
        #expect(bench.kept?.head == (try ModelSite.head(2, of: [entry], time: ModelSite.start + 60)).bytes)
    }

    @Test("A head with a later time alone counts at once; the disk is written again within the hour")
    func heads() throws {
        var bench = try SiteBench.member()
        bench.forget()
        for minute in 1...59 {
            bench.pass(.seconds(60))
            // The link may have reached its age limit and been replaced.
            bench.hear(.greeted(try ModelSite.greeting()))
            bench.hear(.established)
            bench.say(.head(try ModelSite.head(1, time: ModelSite.start + UInt64(minute) * 60)))
        }
        #expect(bench.commands.isEmpty && bench.messages.allSatisfy { $0 != .took(number: 1) })
        #expect(bench.site?.head?.facts.time == ModelSite.start + 59 * 60)
        bench.pass(.seconds(60))
        guard case .changeSite(let change)? = bench.commands.last else {
            Issue.record("nothing was written")
            return
        }
        #expect(bench.commands.count == 1 && change.hours?.spent == 1 && change.time != nil)
    }

    @Test("A head of other entries is told; the box's own are sent in full batches")
    func differs() throws {
        var bench = try SiteBench.member()
        let entries = try (1...130).map { try ModelSite.entry(UInt8($0)) }
        for start in stride(from: 0, to: 130, by: 64) {
            bench.say(.entries(Array(entries[start..<min(start + 64, 130)])))
        }
        bench.forget()
        bench.say(.head(try ModelSite.head(2, time: ModelSite.start + 60)))
        #expect(bench.messages == [.differs(number: 2)])
        #expect(bench.site?.head?.facts.number == 1)
        bench.forget()
        bench.say(.wantEntries)
        let counts = bench.messages.map { if case .entries(let batch) = $0 { batch.count } else { 0 } }
        #expect(counts == [64, 64, 2, 0, 0])
        // The last signed status tells a site that has lost data above which number the site must continue.
        #expect(bench.messages.suffix(2) == [.head(try ModelSite.head(1, time: ModelSite.start)), .entriesEnd])
        bench.say(.head(try ModelSite.head(3, of: entries, time: ModelSite.start + 60)))
        #expect(bench.messages.last == .took(number: 3))
    }

    @Test("What has expired at a head's time is forgotten with it, in one write")
    func expiry() throws {
        var bench = try SiteBench.member()
        let (short, long) = (try ModelSite.entry(1, expiry: ModelSite.start + 50), try ModelSite.entry(2))
        bench.say(.entries([short, long]))
        bench.forget()
        bench.say(.head(try ModelSite.head(1, of: [long], time: ModelSite.start + 60)))
        guard case .changeSite(let change)? = bench.commands.last else {
            Issue.record("nothing was written")
            return
        }
        #expect(change.dropped == [short.bytes] && change.head != nil && bench.kept?.entries == [long.bytes])
    }

    @Test("A newer document in the greeting is written before hands are shaken")
    func newerDocument() throws {
        var bench = SiteBench()
        bench.kept = try SiteBench.member().kept
        bench.start()
        bench.hear(.greeted(try ModelSite.greeting(try ModelSite.document(4))), holdingVault: true)
        #expect(bench.names == ["connect"] && bench.site?.pin.facts.version == ModelSite.ordinal(3))
        bench.answerAll()
        #expect(bench.names == ["connect", "shake"] && bench.site?.pin.facts.version == ModelSite.ordinal(4))
        #expect(bench.kept?.document == (try ModelSite.document(4)).bytes)
    }

    @Test("A server that shows an older document is linked while the pinned one lists its issuer; nothing is written")
    func olderDocument() throws {
        var bench = SiteBench()
        bench.kept = try SiteBench.member().kept
        bench.start()
        bench.hear(.greeted(try ModelSite.greeting(try ModelSite.document(2))))
        #expect(bench.names == ["connect", "shake"] && bench.site?.pin.facts.version == ModelSite.ordinal(3))
        #expect(bench.kept?.document == (try ModelSite.document(3)).bytes)
    }

    @Test("A new generation midway begins with no entry and no head, on disk too, and its heads are told anew")
    func newGeneration() throws {
        var bench = try SiteBench.member()
        bench.say(.entries([try ModelSite.entry(1)]))
        bench.forget()
        bench.say(.document(try ModelSite.document(4, generation: 2)))
        #expect(bench.site?.revocations.count == 0 && bench.site?.head == nil)
        #expect(bench.kept?.entries == [] && bench.kept?.head == nil && bench.kept?.hours == nil)
        bench.say(.head(try ModelSite.head(1, time: ModelSite.start, generation: 2, document: 4)))
        #expect(bench.messages == [.took(number: 1)])
    }

    @Test("A forged or misplaced thing ends the link, in plain words, and changes nothing")
    func refused() throws {
        let bad: [MessageFromSite] = [
            .entries([try ModelSite.entry(1, by: .stranger), try ModelSite.entry(2)]),
            .certificate(try ModelSite.certificate(boxKey: ModelSite.x25519(23))),
            .certificate(try ModelSite.certificate(by: .servers)),
            .certificate(try ModelSite.certificate(expiry: ModelSite.start - 1)),
            .head(try ModelSite.head(2, time: ModelSite.start + 60, by: .boxes)),
            .head(try ModelSite.head(2, time: ModelSite.start + 60, document: 4)),
            .document(try ModelSite.document(2)), .document(try ModelSite.document(4, root: .stranger)),
        ]
        for (index, message) in bad.enumerated() where index > 0 {
            var bench = try SiteBench.member()
            let before = bench.site
            bench.forget()
            bench.say(message)
            #expect(bench.names == ["close"], "\(index)")
            #expect(bench.commands.isEmpty && bench.site == before, "\(index)")
            #expect(
                bench.logged.contains { $0.level == .warning && $0.text.hasPrefix("no link to the site") }, "\(index)")
            #expect(bench.nextTry != nil)
        }
        // The box skips an entry by a signer that the document does not list. No signed status counts such an entry.
        var bench = try SiteBench.member()
        bench.say(bad[0])
        #expect(bench.site?.revocations.count == 1 && bench.nextTry == nil)
    }

    @Test("A server that does not prove itself, or whose certificate has expired by the site's time, is left")
    func notBelieved() throws {
        let kept = try SiteBench.member().kept
        for greeting in [
            try ModelSite.greeting(by: .stranger), try ModelSite.greeting(root: .stranger),
            try ModelSite.greeting(expiry: ModelSite.start),
            try ModelSite.greeting(try ModelSite.document(2), by: .stranger),
            // The root has signed two documents with one version.
            try ModelSite.greeting(try ModelSite.document(3, phones: .stranger)),
        ] {
            var bench = SiteBench()
            bench.kept = kept
            bench.start()
            bench.hear(.greeted(greeting))
            #expect(bench.names == ["connect", "close"])
            #expect(bench.nextTry != nil)
        }
    }

    @Test("A server that floods while the vault writes is left, with nothing of it kept")
    func flood() throws {
        var bench = try SiteBench.member()
        bench.forget()
        bench.say(.entries([try ModelSite.entry(1)]), holdingVault: true)
        let more = try ModelSite.entry(2)
        for _ in 0...SiteInbox.limit { bench.say(.entries([more]), holdingVault: true) }
        #expect(bench.names == ["close"])
        bench.answerAll()
        #expect(bench.site?.revocations.count == 1 && bench.commands.count == 1)
    }

    @Test("A server that says or asks for ever is left, and the box comes back later")
    func talkative() throws {
        for (message, count) in [
            (MessageFromSite.wantEntries, SiteOpenLink.questionLimit),
            (.entries([try ModelSite.entry(1)]), SiteOpenLink.messageLimit),
        ] {
            var bench = try SiteBench.member()
            bench.pass(.seconds(20))
            bench.forget()
            // The limit also counts the two messages that `member()` received.
            for _ in 0..<count - 3 { bench.say(message) }
            #expect(!bench.names.contains("close"))
            for _ in 0..<4 { bench.say(message) }
            #expect(bench.names.last == "close" && bench.nextTry != nil)
        }
    }

    @Test("A vault that fails ends the link and leaves everything as it was")
    func vaultFails() throws {
        var bench = try SiteBench.member()
        let before = bench.site
        bench.forget()
        bench.vaultFails = true
        bench.say(.entries([try ModelSite.entry(1)]))
        #expect(bench.site == before && bench.names == ["close"] && bench.nextTry != nil)
        #expect(bench.logged.contains { $0.level == .error })
        bench.vaultFails = false
        bench.pass(.seconds(30))
        bench.hear(.greeted(try ModelSite.greeting()))
        #expect(bench.names.last == "shake")
    }

    @Test("Tries come at once, then after 1 s doubled to 60 s, each with up to half of that more")
    func pauses() throws {
        var bench = SiteBench()
        bench.kept = try SiteBench.member().kept
        bench.start()
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            bench.hear(.ended(.noConnection("nobody listens"), random: UInt64(seconds) &* 0x9E37_79B9))
            let pause = try #require(bench.nextTry)
            #expect(pause >= .seconds(seconds) && pause <= .milliseconds(seconds * 1_500), "\(seconds): \(pause)")
            bench.pass(pause)
            #expect(bench.nextTry == nil)
        }
        #expect(bench.logged.filter { $0.level == .warning }.count == 1, "it is logged once")
    }

    @Test("After a link that stood, boxes come back within 30 s; after a refusal, in one or five minutes")
    func comesBack() throws {
        var bench = try SiteBench.member()
        bench.pass(.seconds(60))
        bench.hear(.ended(.dropped, random: 99))
        #expect(try #require(bench.nextTry) <= .seconds(30))
        for (refusal, seconds) in [(SiteRefusal.notNow, 60), (.removed, 300), (.suspended, 300), (.unknownBox, 300)] {
            var bench = try SiteBench.member()
            bench.say(.refused(refusal))
            let pause = try #require(bench.nextTry)
            #expect(pause >= .seconds(seconds) && pause <= .milliseconds(seconds * 1_500))
            #expect(bench.room.listing(now: bench.bench.now.sinceBoot)?.problem == refusal.text)
        }
    }

    @Test("A link is used for 50 to 55 minutes, and another one begins with the head that comes then")
    func reuse() throws {
        for random in 0..<20 as Range<UInt64> {
            var bench = try SiteBench.member(random: random)
            bench.forget()
            var used = Duration.zero
            while bench.names.isEmpty, used < SiteLinkTimes.longestUse {
                bench.pass(.seconds(60))
                used += .seconds(60)
                #expect(bench.names.isEmpty, "nothing but the head wakes the box")
                bench.say(.head(try ModelSite.head(1, time: ModelSite.start + UInt64(used / .seconds(1)))))
            }
            #expect(bench.names == ["close", "connect"])
            #expect(used >= SiteLinkTimes.shortestUse && used <= SiteLinkTimes.longestUse)
        }
    }

    @Test("A link on which nothing comes any more ends after 55 minutes at the latest")
    func reuseInSilence() throws {
        var bench = try SiteBench.member()
        bench.forget()
        bench.pass(SiteLinkTimes.longestUse + .seconds(1))
        #expect(bench.names == ["close", "connect"])
    }

    @Test("What an earlier link still tells is not heard")
    func staleLinks() throws {
        var bench = try SiteBench.member()
        let old = try #require(bench.link)
        bench.hear(.ended(.dropped, random: 1))
        bench.pass(.seconds(60))
        let state = bench.site
        bench.forget()
        bench.hear(.said(.entries([try ModelSite.entry(1)])), on: old)
        bench.hear(.established, on: old)
        bench.hear(.ended(.dropped, random: 1), on: old)
        #expect(bench.orders.isEmpty && bench.commands.isEmpty && bench.site == state && bench.nextTry == nil)
    }

    @Test("Hours without the site are written one by one, until none is left, and a boot takes one")
    func hours() throws {
        var bench = try SiteBench.member()
        bench.hear(.ended(.dropped, random: 1))
        for hour in 2...24 {
            bench.pass(.seconds(3_600))
            #expect(bench.kept?.hours?.spent == Int64(hour), "\(hour)")
            if let link = bench.link { bench.hear(.ended(.noConnection("nobody listens"), random: 1), on: link) }
        }
        #expect(bench.room.listing(now: bench.bench.now.sinceBoot)?.hoursLeft == 1)
        bench.pass(.seconds(7_200))
        #expect(bench.kept?.hours?.spent == 24)
        #expect(bench.room.listing(now: bench.bench.now.sinceBoot)?.hoursLeft == 0)
        var rebooted = SiteBench(
            SiteBox(publicKey: ModelSite.boxKey, boot: [UInt8](repeating: 2, count: 16), program: [], random: 1))
        rebooted.kept = try SiteBench.member().kept
        rebooted.start()
        #expect(rebooted.kept?.hours?.spent == 2 && rebooted.kept?.time?.clock.boot == [UInt8](repeating: 2, count: 16))
    }

    @Test("A box is woken for heads and, once an hour, for a new link: 1.1 times a minute at most")
    func wakes() throws {
        var bench = try SiteBench.member()
        var (wakes, links, writes) = (0, 0, 0)
        let minutes = 20 * 60
        for minute in 1...minutes {
            let end = bench.bench.now.sinceBoot + .seconds(60)
            bench.forget()
            while let due = bench.room.deadline, due <= end {
                wakes += 1
                bench.bench.now.sinceBoot = due
                bench.run { $0.timeHasCome(&$1) }
            }
            bench.bench.now.sinceBoot = end
            let time = ModelSite.start + UInt64(minute) * 60
            wakes += 1
            bench.say(.head(try ModelSite.head(1, time: time)))
            if bench.names.contains("connect") {
                links += 1
                // The greeting, message 2, and all first messages of the server in one piece.
                wakes += 3
                bench.hear(.greeted(try ModelSite.greeting()))
                bench.hear(.established)
                bench.say(.certificate(try ModelSite.certificate(expiry: time + ModelSite.day)))
            }
            // Each write wakes the real agent twice, although the vault of this test answers at once.
            wakes += 2 * bench.commands.count
            writes += bench.commands.count
        }
        #expect((21...24).contains(links) && writes == links)
        #expect(Double(wakes) / Double(minutes) <= 1.1, "\(wakes)")
    }

    @Test("Leaving is said on an open link, and then everything is forgotten; a vault that fails keeps the box in")
    func leaving() throws {
        var bench = try SiteBench.member()
        bench.forget()
        bench.vaultFails = true
        bench.run(holdingVault: true) { _ = $0.leaves(Sample.control(), owning: [], &$1) }
        #expect(bench.names == ["leaving", "close"])
        bench.answerAll()
        guard case .failure? = bench.replies.last else {
            Issue.record("not told")
            return
        }
        bench.vaultFails = false
        bench.pass(SiteMembership.readPause)
        #expect(bench.site != nil, "what the vault has is what counts")
        bench.run { _ = $0.leaves(Sample.control(), owning: [], &$1) }
        #expect(bench.kept == nil && bench.site == nil && bench.room.deadline == nil)
        guard case .done? = bench.replies.last else {
            Issue.record("not told")
            return
        }
        bench.run { _ = $0.leaves(Sample.control(), owning: [], &$1) }
        guard case .failure(.notFound, _, _)? = bench.replies.last else {
            Issue.record("nothing to leave")
            return
        }
    }

    @Test("What is kept and cannot be read is tried again, and can be forgotten")
    func unreadable() throws {
        var bench = SiteBench()
        bench.kept = try SiteBench.member().kept
        bench.kept?.document[40] ^= 1
        bench.start()
        #expect(bench.site == nil && bench.orders.isEmpty && bench.room.deadline != nil)
        bench.run { _ = $0.leaves(Sample.control(), owning: [], &$1) }
        #expect(bench.kept == nil && bench.room.deadline == nil)
    }

    @Test("What is shown is what is held")
    func listing() throws {
        var bench = try SiteBench.member()
        bench.say(.entries([try ModelSite.entry(1)]))
        bench.pass(.seconds(30))
        let listing = try #require(bench.room.listing(now: bench.bench.now.sinceBoot))
        #expect(listing.boxNumber == "004711" && listing.groups == "1, 7" && listing.servers == "192.0.2.10:4711")
        #expect(listing.linkedServer == "192.0.2.10:4711" && listing.linkedSeconds == 30)
        #expect(listing.documentVersion == "1.3" && listing.generation == "1.1" && listing.entries == 1)
        #expect(listing.headNumber == 1 && listing.headAgeSeconds == 30 && listing.freshSeconds == 30)
        #expect(listing.hoursLeft == 24 && listing.hoursLimit == 24 && listing.problem == nil)
        #expect(SiteMembership.words(listing) == "34750f98…, box 004711, linked, 24 hours left without the site")
    }
}
