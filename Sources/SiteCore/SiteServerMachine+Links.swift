import SiteLink
import SiteTrust

extension SiteServerMachine {
    mutating func open(_ id: LinkID, _ address: String, _ network: String, _ now: Duration) {
        guard let refused = census.admit(id, address, of: network, to: &links, now: now) else { return }
        effects.append(.close(refused))
    }

    mutating func close(_ id: LinkID) {
        switch links.removeValue(forKey: id) {
        case .unproven(_, let network): census.hasGone(id, of: network)
        case .served(let box): census.leave(box.key, id)
        default: break
        }
        census.unknown.remove(id)
        uploads.leave(id)
        effects += phones.left(id)
    }

    /// Ends a link, with `refusal` as its last message if there is one.
    mutating func end(_ id: LinkID, _ refusal: SiteRefusal?) {
        switch links[id] {
        case nil, .closing: return
        case .unproven(_, let network): census.hasProved(id, of: network)
        case .served(let box): census.leave(box.key, id)
        case .proven, .joining, .unknown: break
        }
        if let refusal { say(.refused(refusal), to: id) }
        census.end(id, refusal)
        links[id] = .closing
        effects.append(.close(id))
        uploads.leave(id)
        effects += phones.left(id)
    }

    mutating func heard(_ message: MessageToSite, from id: LinkID, _ now: Duration) {
        uploads.heard(id, now: now)
        switch (links[id], message) {
        case (.proven(let address, let key, let codeID), .hello(let hello)):
            greeted(id, address, key, codeID, hello, now)
        case (.served, .differs): differs(id)
        case (.served, .entries), (.served, .head): upload(message, from: id)
        case (.served, .entriesEnd): endUpload(of: id)
        case (.served(let served), .took(let number)):
            change(id) { $0.took = number }
            if number == served.saidHead?.facts.number { uploads.withdraw(id) }
        case (.served(let served), .leaving):
            guard served.counts.leavings == 0, let box = roster.box(key: served.key) else { break }
            change(id) { $0.counts.leavings += 1 }
            effects.append(.remove(box, reason: "the box has left"))
        case (.served, .renew(let grant)): renew(grant, from: id, now)
        case (.served, .carry), (.served, .endCarry): effects += phones.carries.heard(message, from: id)
        case (.served, .ask(let asked)):
            effects += phones.held.ask(
                asked, from: id, &links, roster, signing.holding(at: seconds(now: now)), pin.site)
        case (.served(let served), .enrolSelf(let wish)):
            effects += phones.heard(wish, from: id, served, roster, signing, doubtOfAll(now: now))
        // Messages are ignored while the link ends, and before a box has joined.
        case (.closing, _), (.joining, _), (.unknown, _), (nil, _): break
        case (.unproven, _), (.proven, _), (.served, .hello): end(id, nil)
        }
    }

    mutating func greeted(
        _ id: LinkID, _ address: String, _ key: [UInt8], _ codeID: [UInt8]?, _ hello: SiteHello, _ now: Duration
    ) {
        if let codeID {
            guard seconds(now: now) != nil else { return end(id, .notNow) }
            links[id] = .joining(address: address, key: key, hello: hello)
            effects.append(.join(id, key: key, codeID: codeID))
        } else if let refusal = refusal(key: key) {
            guard refusal == .unknownBox else { return end(id, refusal) }
            // The database does not answer, so it is unknown whether the box has joined.
            guard seconds(now: now) != nil else { return end(id, .notNow) }
            links[id] = .unknown(address: address, key: key, hello: hello)
            census.unknown.add(id)
        } else if let box = roster.box(key: key) {
            serve(id, box, key, address, hello, now)
        }
    }

    /// Judges the links with unknown keys after news, which include boxes that joined at another server.
    mutating func judgeUnknown(_ now: Duration) {
        let (waiting, due) = (census.unknown.links, census.unknown.takeDue())
        for id in waiting {
            guard case .unknown(let address, let key, let hello) = links[id] else { continue }
            if let box = roster.box(key: key), refusal(key: key) == nil {
                census.unknown.remove(id)
                serve(id, box, key, address, hello, now)
            } else if due.contains(id) {
                end(id, refusal(key: key))
            }
        }
    }

    mutating func joined(_ id: LinkID, _ result: Result<SiteBox, SiteRefusal>, _ now: Duration) {
        // A refresh may have overtaken this answer, so that a later state of the box is known.
        if case .success(let box) = result, roster.state(of: box.id) == nil { roster.take(box) }
        guard case .joining(let address, let key, let hello) = links[id] else { return }
        switch result {
        case .success(let box):
            if let refusal = refusal(key: key) { return end(id, refusal) }
            serve(id, box, key, address, hello, now)
        case .failure(let refusal): end(id, refusal)
        }
    }

    /// Returns why a box with that key is not served, or nil if it is served. An entry outweighs the database's row,
    /// which a restored backup may have reset to before the box's removal.
    func refusal(key: [UInt8]) -> SiteRefusal? {
        roster.refusal(key: key) ?? (heads.log.set.entry(coveringBox: key) == nil ? nil : .removed)
    }

    mutating func serve(
        _ id: LinkID, _ box: SiteBox, _ key: [UInt8], _ address: String, _ hello: SiteHello, _ now: Duration
    ) {
        if census.isDouble(key, from: address, now: now) {
            let why = "its key alternates between \(address) and another address"
            note(.error, "box \(box.name) is suspended: \(why)")
            effects.append(.suspend(box, reason: why))
            if let other = census.link(ofKey: key) { end(other, .suspended) }
            return end(id, .suspended)
        }
        if hello.document > pin.facts.version {
            watch.hasMet(document: hello.document, now)
            logAlarms(now)
        }
        // A box of a newer generation would refuse every status of this server. Another server may have its document.
        guard hello.generation <= pin.facts.generation else { return end(id, .notNow) }
        if let old = census.link(ofKey: key) { end(old, nil) }
        census.serve(key, id, ProgramAge(hello.program, beside: signing.terms.version))
        var served = ServedBox(box, key: key, address: address, hello: hello, since: now)
        if hello.generation != pin.facts.generation { served.beginAnew() }
        // If a restored backup has undone numbers, they do not tell which entries the box has, so all are sent.
        if served.floor.number > number { served.place = 0 }
        links[id] = .served(served)
        certify(id, now)
        if !signing.terms.servers.isEmpty { say(.servers(signing.terms.servers), to: id) }
        if hello.document < pin.facts.version { say(.document(pin.document.claimed), to: id) }
        flow(to: id)
    }

    /// Sends a box its certificate, once on each link, as soon as the time is known.
    mutating func certify(_ id: LinkID, _ now: Duration) {
        guard case .served(let served) = links[id], served.counts.certificates == 0,
            let box = roster.box(key: served.key), let time = seconds(now: now),
            let message = signing.certificate(box, key: served.key, at: time)
        else { return }
        change(id) { $0.counts.certificates += 1 }
        say(message, to: id)
    }
}
