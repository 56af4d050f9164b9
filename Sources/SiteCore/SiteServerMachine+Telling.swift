import SiteLink
import SiteTrust

extension SiteServerMachine {
    /// Says what the box lacks, as far as its link takes it: entries, and behind them the head.
    mutating func flow(to id: LinkID) {
        guard case .served(var box) = links[id], !box.isFull else { return }
        for message in box.takeEntries(heads.log) { say(message, to: id) }
        if box.isFull { effects.append(.tellWhenDrained(id)) }
        // A box that is asked for its entries would find that they differ. One that waits may find that they fit by now.
        if !uploads.isOf(id), let head = box.takeHead(heads.current) { say(head, to: id) }
        links[id] = .served(box)
        if box.floor.number > number { uploads.ask(id) }
    }

    /// Signs a head where one is due, and says it to everybody.
    mutating func signHead(_ now: Duration) {
        guard heads.isDue(pin, now: now), !repair.isNeeded, let time = seconds(now: now),
            terms.issuing.roleUnable(under: pin.facts, at: time) == nil,
            heads.sign(by: terms.issuing, pin, at: time, now: now)
        else { return }
        for id in census.served {
            certify(id, now)
            flow(to: id)
        }
    }

    mutating func take(_ news: SiteNews, _ now: Duration) {
        let wasDoubtful = clock.isDoubtful
        clock.take(database: news.time, own: news.ownTime, now: now)
        // First those who are removed: they hear nothing of the rest.
        for box in news.boxes { changed(box) }
        if let document = news.document { take(document) }
        takeEntries(news, now)
        judgeUnknown(now)
        if let doubt = doubt(now: now), !wasDoubtful, clock.isDoubtful {
            note(.error, "nothing is signed any more: \(doubt); check the clocks, then run: boxsite clock accept")
        }
    }

    /// Boxes hear of an entry at once, also while no head can be signed.
    private mutating func takeEntries(_ news: SiteNews, _ now: Duration) {
        if let doubt = repair.compareGeneration(news, pin) { note(.error, "nothing is signed any more: \(doubt)") }
        guard news.generation == pin.facts.generation else { return }
        let wasNeeded = repair.isNeeded
        repair.compare(news, heads.log)
        let count = heads.log.count
        let (boxes, isFull) = heads.log.add(news.entries, of: pin.facts.generation)
        for key in boxes { if let id = census.link(ofKey: key) { end(id, .removed) } }
        if isFull {
            note(.error, "the set of entries is full: give the phones another issuer, and begin a new generation")
        }
        if let number = news.number { heads.log.raise(to: number) }
        if let entries = repair.due(now: now) {
            if !wasNeeded {
                note(.error, "the database was restored from a backup: \(entries.count) entries are written back")
            }
            effects.append(.store(nil, entries, above: number))
        }
        guard heads.log.count > count else { return }
        for id in census.served { flow(to: id) }
    }

    mutating func take(_ document: ClaimedSiteDocument) {
        var tally = SignatureTally()
        do throws(SiteError) {
            switch try pin.take(document, tally: &tally) {
            case .none: return
            case .newerVersion: break
            case .newGeneration:
                heads = HeadSigner()
                repair = SiteRepair()
                for id in census.served { change(id) { $0.beginAnew() } }
            }
        } catch {
            return note(.error, "the database has a site document that is refused: \(error)")
        }
        for id in census.served { say(.document(pin.document.claimed), to: id) }
    }

    mutating func changed(_ box: SiteBox) {
        let old = roster.key(of: box.id)
        roster.take(box)
        guard let key = old ?? box.key, let refusal = roster.refusal(key: key), let id = census.link(ofKey: key) else {
            return
        }
        end(id, refusal)
    }
}
