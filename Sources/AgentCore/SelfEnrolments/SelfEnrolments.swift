import ControlProtocol
import TextOutput

/// People who would enrol a phone of their own at this box: whether they have just logged in here, by a password that they typed
/// (docs/decisions/043-enrolment-at-a-site.md). The rest is the site's.
///
///     asked ── the session of the command's process ──► handed on to the site
///                                └─ refused
package struct SelfEnrolments: Sendable {
    /// From the opening of a session: a login is what asks for the password.
    package static let freshness: Duration = .seconds(300)
    /// Users of whom it is known when a phone last gave their password to a program, and sessions with a typed one.
    private static let userLimit = 256

    private struct Arrival: Sendable {
        let control: ControlID
        let caller: Caller
        let replacing: [UInt8]
    }

    private var arrivals = Pending<Arrival>(.selfEnrolments)
    /// When logind told of each session, by the clock that runs while the machine sleeps.
    private var appeared: [String: Duration] = [:]
    /// Sessions for which a password was typed and accepted, by `key`, and when.
    private var typed: [[UInt8]: Duration] = [:]
    /// When a phone last gave a program the password of a user. Not every program says which session it opens.
    private var phoneUses: [[UInt8]: Duration] = [:]

    package init() {}

    package mutating func heard(_ event: LogindEvent, _ out: inout Output) {
        switch event {
        case .appeared(let session): if appeared[session.id] == nil { appeared[session.id] = out.time }
        case .removed(let session):
            appeared[session.id] = nil
            typed[Self.key(Array(session.user.utf8), Array(session.id.utf8))] = nil
        case .available, .unavailable, .changed, .sleeping, .woke: break
        }
    }

    /// A program says so. It may come before logind tells of the session.
    package mutating func passwordTyped(_ user: [UInt8], in session: [UInt8], _ now: Duration) {
        Self.note(Self.key(user, session), in: &typed, now)
    }

    /// Neither has a zero byte.
    private static func key(_ user: [UInt8], _ session: [UInt8]) -> [UInt8] {
        user + [0] + session
    }

    /// A program was given the user's password by a phone.
    package mutating func phoneUsed(_ user: [UInt8], _ out: inout Output) {
        Self.note(user, in: &phoneUses, out.time)
    }

    private static func note(_ key: [UInt8], in times: inout [[UInt8]: Duration], _ now: Duration) {
        times = times.filter { now - $0.value <= freshness }
        if times.count >= userLimit, let oldest = times.min(by: { $0.value < $1.value }) { times[oldest.key] = nil }
        times[key] = now
    }

    package mutating func asked(
        _ control: ControlID, _ caller: Caller, replacing: [UInt8], _ out: inout Output
    ) {
        guard !arrivals.all.contains(where: { $0.control == control }) else {
            return out.emit(.tellControl(control, Refusals.oneAtATime))
        }
        let id = arrivals.open(Arrival(control: control, caller: caller, replacing: replacing))
        out.emit(.lookUp(id, .elevationPlace(process: caller.pid)))
    }

    package mutating func left(_ control: ControlID) { arrivals.drop { $0.control == control } }

    /// - Parameters:
    ///   - isOfPhone: Whether a phone has opened a session, or it is not known who did.
    ///   - locked: The logind sessions that the agent itself has locked.
    package mutating func answered(
        _ id: OperationID, _ answer: Answer, isOfPhone: ([UInt8]) -> Bool, locked: Set<[UInt8]>, _ out: inout Output
    ) {
        guard let arrival = arrivals.close(id) else { return }
        guard case .elevationPlace(let found?) = answer else {
            return refuse(arrival, SelfEnrolmentPlace.noSession, &out)
        }
        let session = found.session
        let place = ElevationPlace(
            session: session, isInBackground: found.isInBackground,
            isLockedByAgent: locked.contains(Array(session.id.utf8)))
        let user = Array(session.user.utf8)
        let refusal: SelfEnrolmentPlace? =
            if found.isInBackground {
                .noSession
            } else if session.userID == 0 || arrival.caller.uid != session.userID || user.isEmpty {
                .otherUser
            } else if !place.allows([]) {
                .notAtSeat
            } else if !out.policy.configuration.login.services.contains(session.service) {
                .noLogin
            } else if isOfPhone(Array(session.id.utf8))
                || Self.isFresh(phoneUses[user], out.time)
            {
                .ofPhone
            } else if !isFresh(session, out.now) {
                .tooLong
            } else if !Self.isFresh(typed[Self.key(user, Array(session.id.utf8))], out.time) {
                .noPassword
            } else {
                nil
            }
        if let refusal { return refuse(arrival, refusal, &out) }
        out.logCounted(
            .notice, "\(LogText.text(user)) asks to enrol a phone at session \(session.id)", user: user,
            paidBy: .person(user))
        out.tell(.selfEnrolmentWanted(arrival.control, user: user, replacing: arrival.replacing))
    }

    /// By two clocks: logind's, which stands still while the machine sleeps, knows of sessions that are older than this agent; the time at
    /// which this agent heard of it knows of sleep.
    private func isFresh(_ session: LogindSession, _ now: Moment) -> Bool {
        guard Self.isFresh(appeared[session.id], now.sinceBoot) else { return false }
        let age = now.sinceBoot - now.asleep - .microseconds(session.openedMicroseconds)
        return age <= Self.freshness
    }

    private static func isFresh(_ time: Duration?, _ now: Duration) -> Bool {
        time.map { now - $0 <= freshness } ?? false
    }

    private func refuse(_ arrival: Arrival, _ refusal: SelfEnrolmentPlace, _ out: inout Output) {
        // All callers share one budget: somebody with subordinate uids (subuid(5)) has many.
        out.logCounted(
            .notice, "uid \(arrival.caller.uid) may not enrol a phone here: \(refusal.what)",
            paidBy: .anybody(command: "enrol --self"))
        out.emit(.tellControl(arrival.control, Refusals.failure(.notPermitted, refusal.what, refusal.cure)))
    }
}

/// Why nobody enrols a phone from where they are.
enum SelfEnrolmentPlace: Equatable, Sendable {
    case noSession, otherUser, notAtSeat, noLogin, ofPhone, noPassword, tooLong

    var what: String {
        switch self {
        case .noSession: "this command does not run in a login session"
        case .otherUser: "this session belongs to another user"
        case .notAtSeat: "this session is not in the foreground of this box, or it is locked"
        case .noLogin: "this session was not opened by a login program that boxagent serves"
        case .ofPhone: "a phone has logged in here; to enrol another phone, log in with the password"
        case .noPassword: "boxagent did not see that a password was typed for this session"
        case .tooLong: "this login was more than \(SelfEnrolments.freshness.components.seconds / 60) minutes ago"
        }
    }

    var cure: String {
        switch self {
        case .noSession: "log in on a text console (Ctrl+Alt+F3), and run it there"
        case .otherUser: "log in yourself, and run it without su or sudo"
        case .notAtSeat: "log in at the box itself, with the password"
        case .noLogin: "log in at the box's login screen or console"
        case .ofPhone: "log out, wait five minutes, log in with the password, and run it again"
        case .noPassword:
            "log out, log in with the password, and run it again; if that fails, the PAM stack lacks the line 'verdict'"
        case .tooLong: "log out, log in with the password, and run it again"
        }
    }
}
