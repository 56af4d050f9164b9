import ControlProtocol
import PhoneMessages
import Names
import PhoneMessages
import Secrets
import SiteLink
import SiteTrust
import TextOutput
import VaultPort

/// Administrators' commands and views.
extension SiteMembership {
    package mutating func joins(_ control: ControlID, _ code: HeldSecret, _ out: inout Output) {
        if let refusal = refusalToJoin { return out.emit(.tellControl(control, refusal)) }
        do throws(JoinCodeError) {
            var joining = SiteJoining(control: control, wish: try JoinWish(code), now: out.time)
            let problem = joining.goOn(&tools, &out)
            goOn(joining, problem, &out)
        } catch {
            out.emit(.tellControl(control, Refusals.failure(.invalid, "\(error)", "")))
        }
    }

    private var refusalToJoin: ControlReply? {
        switch state {
        case .none where tools.box.boot.count == BootClock.bootIDBytes: nil
        case .none: Refusals.failure(.fault, "the kernel does not provide its boot ID", "restart boxagentd")
        case .member(let member):
            Refusals.failure(
                .invalid, "this box already belongs to site \(Hex.text(member.belief.site.pin.site.bytes))",
                "run 'boxagent leave' first")
        case .joining: Refusals.failure(.busy, "this box is already joining a site", "wait for the other command")
        case .reading, .leaving: Refusals.siteBusy
        case .unreadable: Refusals.siteUnreadable
        }
    }

    /// Starts to leave the site.
    ///
    /// - Parameter owning: Devices of the site that own sessions. The vault keeps them as revoked.
    /// - Returns: True if the box is not a member from now on.
    package mutating func leaves(_ control: ControlID, owning: [DeviceID], _ out: inout Output) -> Bool {
        switch state {
        case .none: out.emit(.tellControl(control, Refusals.noSite))
        case .joining:
            out.emit(
                .tellControl(
                    control, Refusals.failure(.busy, "this box is joining a site", "stop the other command first")))
        case .reading, .leaving: out.emit(.tellControl(control, Refusals.siteBusy))
        case .unreadable:
            forget(control, owning, &out)
            return true
        case .member(var member):
            if let link = member.link.opened { out.emit(.site(link.id, .say([.leaving]))) }
            member.endImports(&out)
            tools.close(member.link, &out)
            member.isIdle(until: out.time, &out)
            forget(control, owning, &out)
            return true
        }
        return false
    }

    private mutating func forget(_ control: ControlID, _ owning: [DeviceID], _ out: inout Output) {
        state = .leaving(control)
        tools.ask(.forget, .forgetSite(owning: owning), &out)
    }

    mutating func forgotten(_ control: ControlID, _ answer: Answer, _ out: inout Output) {
        out.tell(.siteLeft(isStored: answer.writeFailure == nil))
        if let failure = answer.writeFailure {
            out.log(.error, "the box could not leave its site: \(failure)")
            out.emit(
                .tellControl(
                    control,
                    Refusals.failure(
                        .fault, "this box still belongs to the site: \(failure)",
                        "fix the problem (see 'boxagent doctor') and leave again")))
            // Read the vault's data again: it counts, even if a write was in progress.
            return read(&out)
        }
        state = .none
        out.log(.notice, "this box has left its site")
        out.emit(.tellControl(control, .done(text: "this box has left its site")))
    }

    /// Takes a part of a bundle from an administrator.
    package mutating func imports(_ control: ControlID, _ part: [UInt8], isLast: Bool, _ out: inout Output) {
        guard case .member(var member) = state else { return out.emit(.tellControl(control, refusal)) }
        // Keep one owner of the member's data, so that it is not copied.
        state = .reading
        member.imports(control, part, isLast: isLast, &tools, &out)
        state = .member(member)
    }

    // MARK: - Phones of the site

    /// Returns the data to check grants with now, or nil if the box is not a member.
    package func judge(now: Duration) -> SiteJudge? {
        guard case .member(let member) = state, let clock = tools.box.clock(now) else { return nil }
        return SiteJudge(member.belief, at: clock)
    }

    /// Asks the site for a new grant if the old one expires soon and the site is linked.
    mutating func renew(_ grant: Grant, _ out: inout Output) {
        guard case .member(var member) = state, let clock = tools.box.clock(out.time) else { return }
        member.renew(grant, at: clock, &out)
        state = .member(member)
    }

    // MARK: - Carried enrolments

    /// Begins to carry a phone's messages to the site. Returns the reason if that is not possible now.
    mutating func opensCarry(_ channel: ChannelID, _ out: inout Output) -> ResultCode? {
        guard case .member(var member) = state else { return .boxCutOff }
        defer { state = .member(member) }
        return member.opensCarry(channel, &out)
    }

    mutating func carry(_ message: [UInt8], from channel: ChannelID, _ out: inout Output) {
        guard case .member(var member) = state else { return out.tell(.carryOver(channel)) }
        member.carry(message, from: channel, &out)
        state = .member(member)
    }

    mutating func carryLeft(_ channel: ChannelID, _ out: inout Output) {
        guard case .member(var member) = state else { return }
        member.carryLeft(channel, &out)
        state = .member(member)
    }

    // MARK: - Site-held credentials

    /// Carries a phone's sealed request to the site. `siteAnswered` follows in any case.
    mutating func ask(_ id: OperationID, channel: [UInt8], _ sealed: [UInt8], _ out: inout Output) {
        guard case .member(var member) = state else { return out.tell(.siteAnswered(id, nil)) }
        member.askings.ask(id, channel: channel, sealed, over: member.link.opened, &out)
        state = .member(member)
    }

    // MARK: - Self-enrolments

    /// Asks the site for a code for a user who has just logged in here. The command gets the result.
    mutating func enrolsSelf(_ control: ControlID, _ user: [UInt8], replacing: [UInt8], _ out: inout Output) {
        guard case .member(var member) = state else { return out.emit(.tellControl(control, refusal)) }
        member.askings.own.begin(control, user, replacing: replacing, over: member.link.opened, &out)
        state = .member(member)
    }

    /// Returns whether the command is enrolling its user's own phone. Then the next answer is about that enrolment.
    func isEnrollingSelf(_ control: ControlID) -> Bool {
        guard case .member(let member) = state else { return false }
        return member.askings.own.isOpen(control)
    }

    mutating func answersSelf(_ digits: String, accept: Bool, _ out: inout Output) {
        guard case .member(var member) = state else { return }
        member.askings.own.answer(digits, accept: accept, over: member.link.opened, &out)
        state = .member(member)
    }

    // MARK: - Public data of the box

    /// Returns the site data that a user's phone lacks, or nil if the question is not valid or the box is not a member.
    func news(for question: [UInt8], of user: SiteUserID?) -> [(SiteNewsKind, [UInt8])]? {
        guard case .member(let member) = state else { return nil }
        do throws(SiteError) {
            return member.belief.news(for: try SiteNewsQuestion(parsing: question), of: user)
        } catch {
            return nil
        }
    }

    /// Handles a phone's request for the site document. `shown` is the phone's own. Without a site, the link ends.
    package mutating func documentWanted(_ channel: ChannelID, shown: [UInt8]?, _ out: inout Output) {
        guard case .member(var member) = state else { return out.emit(.finish(channel, .handshakeMalformed)) }
        var claimed: ClaimedSiteDocument?
        if let shown {
            do throws(SiteError) { claimed = try ClaimedSiteDocument(parsing: shown) } catch {
                return out.emit(.finish(channel, .handshakeMalformed))
            }
        }
        member.documentWanted(channel, shown: claimed, &tools, &out)
        state = .member(member)
    }

    /// Returns nil while the site's data is being read, while it cannot be read, and while the box is leaving. The
    /// earlier data stays public then.
    package func shown(_ policy: Policy) -> BoxShown? {
        switch state {
        case .none, .joining: BoxShown(boxID: policy.ownBoxID)
        case .member(let member):
            BoxShown(
                boxID: member.belief.certificate.facts.boxID, siteCertificate: member.belief.certificate.bytes)
        case .reading, .unreadable, .leaving: nil
        }
    }

    // MARK: - For `boxagent site`

    /// The reason why there is no listing.
    package var refusal: ControlReply {
        switch state {
        case .none: Refusals.noSite
        case .unreadable: Refusals.siteUnreadable
        case .joining: Refusals.failure(.busy, "this box is joining a site", "wait for the other command")
        case .reading, .leaving, .member: Refusals.siteBusy
        }
    }

    /// Returns nil if the box belongs to no site, or if that is unknown.
    package func listing(now: Duration) -> SiteListing? {
        guard case .member(let member) = state, let clock = tools.box.clock(now) else { return nil }
        let facts = member.belief.site.pin.facts
        let certified = member.belief.certificate.facts
        var listing = SiteListing()
        listing.site = facts.site.bytes
        listing.boxNumber = String(decoding: certified.boxID, as: UTF8.self)
        listing.groups = certified.groups.numbers.map { String($0) }.joined(separator: ", ")
        listing.servers = member.servers.map(\.text).joined(separator: ", ")
        if let link = member.link.opened {
            listing.linkedServer = link.address.text
            listing.linkedSeconds = Self.seconds(now - link.since)
        }
        listing.documentVersion = facts.version.text
        listing.generation = facts.generation.text
        listing.entries = UInt64(member.belief.site.revocations.count)
        if let head = member.belief.site.head?.facts {
            listing.headNumber = head.number
            let time = member.belief.site.seconds(at: clock) ?? head.time
            listing.headAgeSeconds = time > head.time ? time - head.time : 0
        }
        listing.freshSeconds = member.freshAt.map { Self.seconds(now - $0) }
        listing.hoursLeft = UInt64(member.belief.site.allowance.hoursLeft(at: clock))
        listing.hoursLimit = UInt64(member.belief.site.allowance.limit)
        listing.certificateExpiry = certified.expiry
        listing.problem = member.problem.map { ControlLimits.cut($0.text) }
        listing.problemSeconds = member.problem.map { Self.seconds(now - $0.since) }
        return listing
    }

    /// Returns one line for `boxagent status`.
    package static func words(_ listing: SiteListing) -> String {
        let link = listing.linkedServer == nil ? "not linked" : "linked"
        let site = Hex.text([UInt8](listing.site.prefix(4)))
        let hours = Plural.text(listing.hoursLeft, "hour")
        return "\(site)…, box \(listing.boxNumber), \(link), \(hours) left without the site"
    }

    private static func seconds(_ time: Duration) -> UInt64 { UInt64(max(0, time.components.seconds)) }
}
