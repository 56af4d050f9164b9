import Names
import PhoneMessages
import VaultPort

/// Delivers each component's facts to the others. Only the extensions of `AgentMachine` name two components together.
extension AgentMachine {
    mutating func hear(_ fact: Fact, _ out: inout Output) {
        switch fact {
        case .phone(let fact): hear(fact, &out)
        case .site(let fact): hear(fact, &out)
        case .login(let fact): hear(fact, &out)
        case .session(let fact): hear(fact, &out)
        case .presence(let fact): hear(fact, &out)
        case .ledger(let fact): hear(fact, &out)
        }
    }

    private mutating func hear(_ fact: PhoneFact, _ out: inout Output) {
        switch fact {
        case .identified(let channel, let sheet):
            let device = sheet.record.id
            places.identified(channel, device, owners: sessions.devices, &phones, &out)
            presences.followed(device, user: sheet.record.user, sheet: sheet, &out)
            presences.linkUp(device, &out)
            // A phone that was away is back when its signal shows it, not when a link opens.
            logouts.counted(device, asHere: isHere(device), &out)
        case .greeted(let channel, let record, let capabilities):
            if capabilities.contains(.elevation), !devicesOfOthers.contains(record.id) {
                elevations.phoneShows(record.user, on: channel, &out)
            }
        case .asked(let request):
            if places.mayStay(request, owners: sessions.devices, &phones, &out) { route(request, &out) }
        case .askedToEnrol(let channel, let message):
            let isWeb = phones.capabilities(of: channel).contains(.browser)
            enrolments.asked(channel, message, isWeb: isWeb, &out)
        case .channelLeft(let channel, let record, let last): channelLeft(channel, record, last, &out)
        case .linksChanged: advertising.linksChanged(phones.linkCount, &out)
        case .enrolmentContact(let channel): phones.enrolmentContact(channel)
        case .enrolmentOver(let control): controls.enrolmentOver(control)
        case .sheetKnown(let sheet):
            presences.followed(sheet.record.id, user: sheet.record.user, sheet: sheet, &out)
            logouts.awayTimeSet(sheet, &out)
            if sheet.record.isOfSite, sheet.record.state == .revoked {
                orders.takenBack(sheet.record.id, why: "its site revoked it", known, &out)
            }
            forgetIfGone(sheet.record.id, &out)
        // Nothing to do: the stricter setting was assumed already.
        case .sheetUnreadable: break
        case .autoLogoutChosen(let device):
            if let sheet = phones.sheet(of: device) { logouts.awayTimeSet(sheet, &out) }
        case .thresholdsChosen(let device):
            presences.thresholdsChanged(device, to: phones.sheet(of: device)?.thresholds, &out)
        case .barred(let devices):
            logins.barred(devices, &out)
            elevations.barred(devices)
            credentials.barred(devices)
            orders.barred(devices)
            presences.barred(devices, &out)
            logouts.barred(devices, &out)
        case .revoked(let devices, let silenced, let isStored):
            // Write the rows again that are still needed: the revocation has cleared them.
            if isStored {
                logouts.barred(devices, &out)
                sitePhones.barred(devices)
            }
            for id in silenced {
                let reason: ChannelEnd = isStored ? .revoked : .vaultUnavailable
                // For a site's phone, the box may only close the channel (docs/reference/site-protocol.md, 11).
                let isTold = isStored && !phones.isOfSite(id)
                out.emit(.finish(id, reason, lastWords: isTold ? .revoked : nil))
                phones.forget(id, &out)
            }
        }
    }

    private mutating func channelLeft(
        _ channel: ChannelID, _ record: DeviceRecord?, _ last: Bool, _ out: inout Output
    ) {
        elevations.phoneLeft(channel, &out)
        logins.withdraw(channel, &out)
        credentials.channelLeft(channel)
        enrolments.channelLeft(channel, &out)
        site.carryLeft(channel, &out)
        guard let record, last else { return }
        presences.linkDown(record.id, &out)
        logouts.counted(record.id, asHere: false, &out)
        forgetIfGone(record.id, &out)
    }

    /// Forgets a phone that has left and owns no session.
    private mutating func forgetIfGone(_ device: DeviceID, _ out: inout Output) {
        guard !phones.isConnected(device), sessions.sessions(of: device).isEmpty else { return }
        presences.forgets(device, &out)
        phones.forgetSheet(of: device)
    }

    private mutating func hear(_ fact: LoginFact, _ out: inout Output) {
        switch fact {
        case .credentialKnown(let device, let state): phones.credentialKnown(device, state)
        case .credentialStale(let device): phones.credentialStale(device)
        // Withdraw a destroyed credential at every stage. A program that already has it keeps it.
        case .wipeBegins(let devices):
            credentials.wipeBegins(devices)
            for device in devices { withdrawTaps(of: device, &out) }
        case .wipeOver(let devices): credentials.wipeOver(devices, &out)
        case .credentialWiped(let device): withdrawTaps(of: device, &out)
        case .opened(let tap, _) where devicesOfOthers.contains(tap.device): out.answer(tap.id, .notAllowed)
        case .opened(let tap, let purpose):
            switch purpose {
            case .login: logins.tapped(tap, &out)
            case .elevation(let id): elevations.allowed(id, tap, &out)
            }
        case .elevationAsked(let program, let request, let caller): elevations.asks(program, request, caller, &out)
        case .granted(let applicant, let tap, let elevation):
            selfEnrolments.phoneUsed(tap.user, &out)
            deliveries.granted(applicant, tap, elevation, &out)
        case .programGone(let program): programLeft(program, &out)
        case .used(let device, let user):
            if ledger.mayWrite(for: .device(device), user: user, &out) { phones.noteUse(of: device, &out) }
        case .judged(let delivery, let code):
            if delivery.elevation != nil, code != .correct { elevations.wrong(delivery.user, &out) }
        }
    }

    private mutating func withdrawTaps(of device: DeviceID, _ out: inout Output) {
        logins.withdraw(of: device, &out)
        elevations.withdraw(of: device, &out)
    }

    private mutating func hear(_ fact: SessionFact, _ out: inout Output) {
        switch fact {
        case .sessionOpened(let program, let target, let device, let process):
            sessions.opened(program, target, by: device, process: process, &out)
        case .sessionLasts(let program): sessions.lasts(program)
        case .programEndedSession(let program, let said): sessions.programEnded(program, said: said, &out)
        case .sessionRemoved(let program): deliveries.sessionRemoved(program, &out)
        case .sessionTracked(let key, let device, let since, let extensions):
            tracked(key, device, since, extensions, &out)
        case .sessionEnded(let key, let session, let isLast):
            logouts.sessionEnded(key, &out)
            // The phone was not shown a session that a PAM module refused.
            for channel in phones.channels(of: session.device)
            where session.hasLasted && phones.understands(.sessionEnds, channel) {
                out.emit(.tellPhone(channel, .sessionEnded(session.ending ?? .atTheBox)))
            }
            if isLast { forgetIfGone(session.device, &out) }
            advertising.expectSomebody(&out)
        case .somebodyExpected: advertising.expectSomebody(&out)
        case .idle(let key, let since): logouts.idle(key, since: since, &out)
        case .sessionsRead: logouts.sessionsRead(&out)
        case .sessionEnding(let key, let session, let end): sessions.ending(key, session, end)
        case .sessionActed(let key, let session, let operation, let outcome, let changes):
            sessions.acted(key, session, operation, outcome, changes: changes, &out)
        case .sessionRekeyed(let old, _): logouts.sessionEnded(old, &out)
        case .deadlinesRead(let deadlines): logouts.deadlinesRead(deadlines, &out)
        case .rowsRead(let ofEarlierBoots, let ofThisBoot):
            sessions.rowsRead(ofEarlierBoots: ofEarlierBoots, ofThisBoot: ofThisBoot, &out)
        case .ownersUnknown: orders.lockEverybody(known, &out)
        case .ownerUnreadable: restoring.couldNotRead(&out)
        case .helperReplaced(let control): out.emit(.giveWay(control))
        }
    }

    private mutating func tracked(
        _ key: SessionKey, _ device: DeviceID, _ since: Duration, _ extensions: Int64, _ out: inout Output
    ) {
        guard let session = sessions.session(key) else { return }
        let sheet = phones.sheet(of: device)
        if sheet == nil { phones.readSheet(of: device, &out) }
        presences.followed(device, user: session.target.user, sheet: sheet, &out)
        logouts.sessionTracked(
            key, by: device, user: session.target.user, since: since, extensions: extensions, sheet: sheet,
            isHere: isHere(device), &out)
        // Act now: a phone that is already away does not become away again.
        if presences.isAway(device) { orders.away(device, why: "it was away before", known, &out) }
    }

    private mutating func hear(_ fact: PresenceFact, _ out: inout Output) {
        switch fact {
        case .away(let device, let why):
            orders.away(device, why: why, known, &out)
            logouts.counted(device, asHere: false, &out)
        case .back(let device): logouts.counted(device, asHere: isHere(device), &out)
        case .logoutDue(let key, let cause): orders.logoutDue(key, cause, known, &out)
        case .logoutDueUnseen(let device):
            orders.logoutDueUnseen(device, record: phones.sheet(of: device)?.record, &out)
        case .warned(let key, let cause, let at):
            if let session = sessions.session(key) { helpers.warned(session, cause, at: at, &out) }
        case .warningWithdrawn(let key):
            if let session = sessions.session(key) { helpers.warningWithdrawn(session, &out) }
        }
    }

    private mutating func hear(_ fact: LedgerFact, _ out: inout Output) {
        switch fact {
        case .happened(let event): ledger.write(event, &out)
        case .happenedAgain(let event, let user, let payer): ledger.write(event, user: user, paidBy: payer, &out)
        case .logged(let line, let user, let payer):
            if ledger.mayWrite(for: payer, user: user, &out) { out.emit(.log(line)) }
        case .budgetSettled(let device): logouts.budgetSettled(device, &out)
        case .wantsToWrite(let component, let device, let user):
            let owner = user.isEmpty ? phones.sheet(of: device)?.record.user ?? [] : user
            let isAllowed = ledger.mayWrite(for: .device(device), user: owner, &out)
            switch component {
            case .presences: presences.mayWrite(device, isAllowed, &out)
            case .logouts: logouts.mayWrite(device, isAllowed, &out)
            }
        }
    }
}
