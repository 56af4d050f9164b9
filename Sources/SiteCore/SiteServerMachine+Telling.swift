import SiteLink
import SiteTrust

extension SiteServerMachine {
    /// Sends the box the entries that it lacks, as many as its link takes, and then the signed status.
    mutating func flow(to id: LinkID) {
        guard case .served(var box) = links[id], !box.isFull else { return }
        for message in box.takeEntries(heads.log) { say(message, to: id) }
        if box.isFull { effects.append(.tellWhenDrained(id)) }
        // An uploading box would report a difference. The set of a box that waits for its turn may match by now.
        if !uploads.isOf(id), let head = box.takeHead(heads.current) { say(head, to: id) }
        links[id] = .served(box)
        if box.floor.number > number, box.mayBeAsked(under: pin.facts) { uploads.ask(id) }
    }

    /// Signs a status if one is due, and sends it to all boxes.
    mutating func signHead(_ now: Duration) {
        guard heads.isDue(pin, now: now), heads.isComplete, !repair.isNeeded, let time = seconds(now: now),
            heads.sign(by: signing.issuing, pin, at: time, now: now)
        else { return }
        for id in census.served {
            certify(id, now)
            flow(to: id)
        }
    }

    mutating func take(_ news: SiteNews, _ now: Duration) {
        let wasDoubtful = clock.isDoubtful
        clock.take(database: news.time, own: news.ownTime, now: now)
        // Takes the boxes first, so that removed ones get none of the other news.
        for box in news.boxes { changed(box) }
        let isNewDocument = news.document.map { take($0) } ?? false
        effects += signing.choose(under: pin.facts, at: seconds(now: now))
        // Boxes get new certificates, because phones reject those of an issuer that the document drops.
        if isNewDocument { for id in census.served { certify(id, now) } }
        takeEntries(news, now)
        judgeUnknown(now)
        logAlarms(now)
        if let doubt = doubt(now: now), !wasDoubtful, clock.isDoubtful {
            note(.error, "signing has stopped: \(doubt); check the clocks, then run: boxsite clock accept")
        }
    }

    /// Takes the entries of the news. Boxes get them at once, even while no status can be signed.
    private mutating func takeEntries(_ news: SiteNews, _ now: Duration) {
        let count = heads.log.count
        let (boxes, found) = repair.take(news, pin, &heads, now: now)
        for key in boxes { if let id = census.link(ofKey: key) { end(id, .removed) } }
        effects += found
        guard heads.log.count > count else { return }
        for id in census.served { flow(to: id) }
    }

    /// Takes a newer document and sends it to boxes before its issuers sign. Returns false if it is known or refused.
    private mutating func take(_ document: ClaimedSiteDocument) -> Bool {
        var tally = SignatureTally()
        do throws(SiteError) {
            switch try pin.take(document, tally: &tally) {
            case .none: return false
            case .newerVersion: break
            case .newGeneration:
                heads = HeadSigner()
                repair = SiteRepair()
                for id in census.served { change(id) { $0.beginAnew() } }
            }
        } catch {
            note(.error, signing.words(of: document, refused: error, beside: pin))
            return false
        }
        for id in census.served {
            change(id) { $0.counts.certificates = 0 }
            say(.document(pin.document.claimed), to: id)
        }
        return true
    }

    mutating func changed(_ box: SiteBox) {
        let (old, state) = (roster.key(of: box.id), roster.state(of: box.id))
        roster.take(box)
        if state == .suspended, box.state == .joined, let key = box.key { census.forgetUse(of: key) }
        guard let key = old ?? box.key, let refusal = roster.refusal(key: key), let id = census.link(ofKey: key) else {
            return
        }
        end(id, refusal)
    }
}
