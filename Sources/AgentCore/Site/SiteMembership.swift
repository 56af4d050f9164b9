import ControlProtocol
import Secrets
import SiteLink
import SiteTrust
import TextOutput
import VaultPort

/// The box's membership in a site, and its one link there.
///
///     reading ──► none ── join ──► joining ── certificate kept ──► member ── leave ──► leaving ──► none
///        │ ▲        ▲                 │ 60 s, or refused            ▲                    │ not forgotten
///        ▼ │        └─────────────────┘                             └────────────────────┘
///     unreadable (60 s)
///
///     link:  idle ── time ──► connecting ── greeting accepted, newer document kept ──► shaking ──► open
///              ▲                                                                                    │
///              └──────────── refused, ended, vault failed: a pause; 50 to 55 min: at once ◄─────────┘
///
/// Servers prove by certificates that they belong to the site. The pin is the site's verified document. Messages change
/// a copy of the trusted data. The copy replaces the trusted data once the vault has stored the change. Messages that
/// come meanwhile wait.
package struct SiteMembership: Sendable {
    static let readPause: Duration = .seconds(60)

    enum State: Sendable {
        case reading
        case unreadable(retryAt: Duration)
        case none
        case joining(SiteJoining)
        case member(SiteMember)
        case leaving(ControlID)
    }

    var state = State.reading
    var tools: SiteTools

    package init(_ box: SiteBox) {
        tools = SiteTools(box)
    }

    // MARK: - Entries

    package mutating func started(_ out: inout Output) { read(&out) }

    package mutating func heard(_ id: SiteLinkID, _ event: SiteLinkEvent, _ out: inout Output) {
        if case .ended(_, let random) = event { tools.jitter.add(random) }
        switch state {
        case .joining(var joining) where joining.link.id == id:
            let problem = joining.heard(event, &tools, &out)
            goOn(joining, problem, &out)
        case .member(var member) where member.link.id == id:
            member.heard(event, &tools, &out)
            state = .member(member)
        // Ignore an event of a link that was replaced.
        case .reading, .unreadable, .none, .joining, .member, .leaving: break
        }
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        switch (tools.close(id), state) {
        case (.read, .reading): wasRead(answer, &out)
        case (.join, .joining(let joining)): joined(joining, answer, &out)
        case (.write, .member(var member)):
            member.written(answer, &tools, &out)
            state = .member(member)
        case (.forget, .leaving(let control)): forgotten(control, answer, &out)
        // Ignore an answer to an operation from before the box began to leave.
        case (.read, _), (.write, _), (.join, _), (.forget, _), (nil, _): break
        }
    }

    package var deadline: Duration? {
        switch state {
        case .reading, .none, .leaving: nil
        case .unreadable(let at): at
        case .joining(let joining): joining.deadline
        case .member(let member): member.deadline
        }
    }

    package mutating func timeHasCome(_ out: inout Output) {
        switch state {
        case .reading, .none, .leaving: break
        case .unreadable(let at):
            if at <= out.time { read(&out) }
        case .joining(var joining):
            let problem = joining.timeHasCome(&tools, &out)
            goOn(joining, problem, &out)
        case .member(var member):
            member.timeHasCome(&tools, &out)
            state = .member(member)
        }
    }

    /// Closes the link cleanly, because the agent stops.
    package mutating func stop(_ out: inout Output) {
        switch state {
        case .joining(let joining): tools.close(joining.link, &out)
        case .member(let member): tools.close(member.link, &out)
        case .reading, .unreadable, .none, .leaving: break
        }
        state = .none
    }

    // MARK: - Stored data

    mutating func read(_ out: inout Output) {
        state = .reading
        tools.ask(.read, .readSite, &out)
    }

    private mutating func wasRead(_ answer: Answer, _ out: inout Output) {
        guard case .vault(.site(let kept)) = answer else {
            out.log(.error, "the stored data of this box's site could not be read: \(answer.problem)")
            return state = .unreadable(retryAt: out.time + Self.readPause)
        }
        guard let kept else { return state = .none }
        do throws(SiteError) {
            guard let clock = tools.box.clock(out.time) else { throw .invalidField }
            begin(try SiteMember(kept, now: clock, link: .idle(until: out.time)), &out)
        } catch {
            out.log(
                .error,
                "the stored record of this box's site \(error); restore the state directory, or run 'boxagent leave' and join again"
            )
            state = .unreadable(retryAt: out.time + Self.readPause)
        }
    }

    /// Makes the box a member, and does what is due now.
    private mutating func begin(_ new: SiteMember, _ out: inout Output) {
        var member = new
        member.work(&tools, &out)
        member.timeHasCome(&tools, &out)
        state = .member(member)
        out.tell(.siteTookBack)
    }

    // MARK: - Joining

    mutating func goOn(_ joining: SiteJoining, _ problem: SiteJoining.Problem?, _ out: inout Output) {
        guard let problem else { return state = .joining(joining) }
        tools.close(joining.link, &out)
        state = .none
        out.log(.warning, "the box did not join a site: \(problem.what)")
        out.emit(.tellControl(joining.control, Refusals.failure(problem.kind, problem.what, problem.cure)))
    }

    /// Cancels the join or import of a command that has ended.
    package mutating func controlLeft(_ control: ControlID, _ out: inout Output) {
        if case .member(var member) = state {
            member.controlLeft(control, &out)
            state = .member(member)
        }
        guard case .joining(let joining) = state, joining.control == control, joining.certificate == nil else { return }
        tools.close(joining.link, &out)
        state = .none
    }

    private mutating func joined(_ joining: SiteJoining, _ answer: Answer, _ out: inout Output) {
        guard let pin = joining.pin, let certificate = joining.certificate else { return }
        if let failure = answer.writeFailure {
            let cure = "fix the problem (see 'boxagent doctor'), then join with a new code"
            let what = "the site could not be stored: \(failure)"
            return goOn(joining, SiteJoining.Problem(kind: .fault, what: what, cure: cure), &out)
        }
        var member = SiteMember(
            SiteBelief(site: BoxSite(pin: pin), certificate: certificate, servers: joining.wish.servers),
            link: joining.link)
        member.inbox = joining.inbox
        let number = String(decoding: certificate.facts.boxID, as: UTF8.self)
        let text = "joined site \(Hex.text(pin.site.bytes)); this box has number \(number) there"
        out.log(.notice, text)
        out.emit(.tellControl(joining.control, .done(text: text)))
        begin(member, &out)
    }
}
