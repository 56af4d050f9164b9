import SiteLink
import SiteTrust
import TextOutput
import VaultPort

/// The link of a member, and its messages.
extension SiteMember {
    mutating func heard(_ event: SiteLinkEvent, _ tools: inout SiteTools, _ out: inout Output) {
        switch event {
        case .greeted(let greeting): take(.greeting(greeting), &tools, &out)
        case .said(let message): take(.message(message), &tools, &out)
        case .established: established(&tools, &out)
        case .ended(let failure, _): lost(&tools, "\(failure)", &out)
        }
        timeHasCome(&tools, &out)
    }

    /// Does what is due: writes an hour of the offline allowance, ends an old link, makes the next attempt, and ends
    /// late requests.
    mutating func timeHasCome(_ tools: inout SiteTools, _ out: inout Output) {
        writeHour(&tools, &out)
        if let open = link.opened, open.endsAt <= out.time {
            tools.close(link, &out)
            isIdle(until: out.time, &out)
        }
        askings.timeHasCome(&out)
        if case .idle(let until) = link, until <= out.time {
            link = tools.connect(toOneOf: servers, &out) ?? link
        }
        settleCarries(&out)
    }

    /// The time at which the next hour of the offline allowance must be written, unless a signed status comes first.
    private var nextHour: Duration? {
        if let at = hour.retryAt { return at }
        return writing == nil ? hour.at : nil
    }

    var deadline: Duration? { [link.deadline, nextHour, carries.deadline, askings.deadline].compactMap(\.self).min() }

    private mutating func writeHour(_ tools: inout SiteTools, _ out: inout Output) {
        guard hour.retryAt ?? out.time <= out.time, let clock = tools.box.clock(out.time) else { return }
        if writing == nil, let (write, change) = belief.hourDue(at: clock) {
            begin(write, change, &tools, &out)
        } else {
            hour.at = belief.site.allowance.nextDue(at: clock).map { .seconds(Int64(clamping: $0)) }
        }
        hour.retryAt = nil
    }

    // MARK: - Messages from the site

    private mutating func established(_ tools: inout SiteTools, _ out: inout Output) {
        guard case .shaking(let id, let address) = link, let hello = try? belief.hello(tools.box) else { return }
        link = tools.opened(id, address, knowing: belief.site.head?.facts.number, at: out.time)
        out.emit(.site(id, .say([.hello(hello)])))
    }

    private mutating func take(_ item: SiteInbox.Item, _ tools: inout SiteTools, _ out: inout Output) {
        guard inbox.add(item) else {
            return fail(&tools, "the server sends more than this box can store", &out)
        }
        work(&tools, &out)
    }

    /// Handles waiting items, until one of them must be written first.
    mutating func work(_ tools: inout SiteTools, _ out: inout Output) {
        if writing == nil, let bundle = importing, bundle.isWhole {
            importing = nil
            settle(bundle, &tools, &out)
        }
        while writing == nil, let (channel, document) = shown.next() { judge(document, of: channel, &tools, &out) }
        while writing == nil, link.id != nil, let item = inbox.next() {
            switch item {
            case .greeting(let greeting): judge(greeting, &tools, &out)
            case .message(let message): judge(message, &tools, &out)
            }
        }
    }

    private mutating func judge(_ greeting: SiteGreeting, _ tools: inout SiteTools, _ out: inout Output) {
        guard case .connecting(let id, let address) = link, let clock = tools.box.clock(out.time) else { return }
        do throws(SiteError) {
            let (serverKey, newer) = try belief.judge(greeting, at: clock)
            guard let (newWrite, change) = newer else { return shake(id, address, serverKey, &tools, &out) }
            var write = newWrite
            write.next = .shake(id, address, serverKey: serverKey)
            begin(write, change, &tools, &out)
        } catch {
            fail(&tools, "the server's proof \(error)", &out)
        }
    }

    private mutating func shake(
        _ id: SiteLinkID, _ address: SiteAddress, _ serverKey: [UInt8], _ tools: inout SiteTools, _ out: inout Output
    ) {
        link = .shaking(id, address)
        out.emit(.site(id, .shake(serverKey: serverKey)))
    }

    private mutating func judge(_ message: MessageFromSite, _ tools: inout SiteTools, _ out: inout Output) {
        guard var open = link.opened, let clock = tools.box.clock(out.time) else { return }
        guard open.mayTake(message) else {
            return fail(&tools, "the server sends more than one link may carry", &out)
        }
        link = .open(open)
        switch message {
        case .grant(let claimed): return askings.hear(claimed, over: open, &out)
        case .carried(let message): return carried(message, &out)
        case .carryEnded(let number): return carryEnded(number, &out)
        case .held(let answer): return askings.hear(answer, &out)
        case .selfEnrolment(let news): return askings.own.hear(news, &out)
        default: break
        }
        switch belief.judge(message, tools.box, at: clock) {
        case .nothing: break
        case .counts(let site, let isFresh):
            belief.site = site
            if isFresh { isWell(&out) }
        case .write(let write, let change): begin(write, change, &tools, &out)
        case .differs(let number): out.emit(.site(open.id, .say([.differs(number: number)])))
        case .wantsEntries: out.emit(.site(open.id, .say(belief.ownEntries)))
        case .refusesBox(let refusal):
            end(&tools, pause: pause.after(refusal, &tools.jitter), refusal.text, &out)
        case .refused(let what): fail(&tools, what, &out)
        }
    }

    mutating func renew(_ grant: Grant, at clock: BootClock, _ out: inout Output) {
        askings.renew(grant, at: belief.site.seconds(at: clock), over: link.opened, &out)
    }

    /// Fails the phones' waiting requests, because the link has ended.
    mutating func isIdle(until: Duration, _ out: inout Output) {
        askings.drop(&out)
        link = .idle(until: until)
        inbox.clear()
    }

    // MARK: - Storage

    mutating func begin(
        _ write: SiteWrite, _ change: SiteChange, _ tools: inout SiteTools, _ out: inout Output
    ) {
        writing = write
        tools.ask(.write, .changeSite(change), &out)
    }

    mutating func written(_ answer: Answer, _ tools: inout SiteTools, _ out: inout Output) {
        guard let write = writing else { return }
        writing = nil
        if let failure = answer.writeFailure {
            out.log(.error, "the site's data could not be stored: \(failure); run 'boxagent doctor'")
            hour.retryAt = out.time + SiteMembership.readPause
            fail(&tools, "the vault: \(failure)", &out)
            switch write.next {
            case .show(let channel): show(to: channel, &out)
            case .answer(let control, _): out.emit(.tellControl(control, Self.unwritten(failure)))
            case .nothing, .shake: break
            }
            work(&tools, &out)
            return timeHasCome(&tools, &out)
        }
        adopt(write, &tools, &out)
        work(&tools, &out)
        timeHasCome(&tools, &out)
    }

    private mutating func adopt(_ write: SiteWrite, _ tools: inout SiteTools, _ out: inout Output) {
        let old = belief.site.pin.facts.version
        let isNewGeneration = belief.adopt(write)
        let version = belief.site.pin.facts.version
        if version > old { out.log(.notice, "the site document now has version \(version.root).\(version.count)") }
        if isNewGeneration { freshAt = nil }
        if write.isFresh { isWell(&out) }
        if write.hasEntries { out.tell(.siteTookBack) }
        switch write.next {
        case .nothing: tellWhatIsHeld(isNewGeneration, &tools, &out)
        case .show(let channel):
            show(to: channel, &out)
            tellWhatIsHeld(isNewGeneration, &tools, &out)
        case .answer(let control, let report):
            imported(control, report, &out)
            tellWhatIsHeld(isNewGeneration, &tools, &out)
        case .shake(let id, let address, let serverKey):
            guard link.id == id else { return }
            shake(id, address, serverKey, &tools, &out)
        }
    }

    /// Tells the site once which signed status is stored here.
    private mutating func tellWhatIsHeld(_ isNewGeneration: Bool, _ tools: inout SiteTools, _ out: inout Output) {
        guard var open = link.opened else { return }
        if isNewGeneration { open.toldNumber = nil }
        if let number = belief.writtenNumber, number != open.toldNumber {
            open.toldNumber = number
            out.emit(.site(open.id, .say([.took(number: number)])))
        }
        link = .open(open)
    }

    /// Ends the problem, because a fresh signed status was accepted.
    private mutating func isWell(_ out: inout Output) {
        freshAt = out.time
        if problem != nil { out.log(.notice, "the box hears from its site again") }
        problem = nil
    }

    // MARK: - End of the link

    /// Ends the link, because of an error.
    private mutating func fail(_ tools: inout SiteTools, _ text: String, _ out: inout Output) {
        tools.close(link, &out)
        lost(&tools, text, &out)
    }

    /// Handles the end of the link. Messages that waited are dropped.
    private mutating func lost(_ tools: inout SiteTools, _ text: String, _ out: inout Output) {
        guard link.id != nil else { return }
        let wait =
            if let open = link.opened {
                pause.afterLink(thatStood: out.time - open.since, &tools.jitter)
            } else {
                pause.afterFailure(&tools.jitter)
            }
        note(text, &out)
        isIdle(until: out.time + wait, &out)
    }

    private mutating func end(
        _ tools: inout SiteTools, pause wait: Duration, _ text: String, _ out: inout Output
    ) {
        tools.close(link, &out)
        note(text, &out)
        isIdle(until: out.time + wait, &out)
    }

    /// Logs a problem once, however often the attempt is repeated.
    private mutating func note(_ text: String, _ out: inout Output) {
        guard problem?.text != text else { return }
        let server = link.address.map { " through the server \($0.text)" } ?? ""
        out.log(.warning, "no link to the site\(server): \(LogText.text(Array(text.utf8)))")
        problem = (text, out.time)
    }
}
