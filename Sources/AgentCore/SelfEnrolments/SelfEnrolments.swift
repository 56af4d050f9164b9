import ControlProtocol
import TextOutput

/// Users who want to enrol their own phone at this box. Checks that they have just logged in here with a typed password
/// (docs/decisions/043-enrolment-at-a-site.md). The site does the rest.
///
///     asked ── the session of the command's process ──► handed on to the site
///                                └─ refused
package struct SelfEnrolments: Sendable {
    /// The longest time since the session was opened: only a login asks for the password.
    package static let freshness: Duration = .seconds(300)
    /// The most entries in `phoneUses`, and in `typed`.
    private static let userLimit = 256

    private struct Arrival: Sendable {
        let control: ControlID
        let caller: Caller
        let replacing: [UInt8]
    }

    private var arrivals = Pending<Arrival>(.selfEnrolments)
    /// The time when logind announced each session, by the clock that includes suspend.
    private var appeared: [String: Duration] = [:]
    /// The time of the typed and accepted password of each session, by `key`.
    private var typed: [[UInt8]: Duration] = [:]
    /// The last time that a phone gave each user's password to a program. The key is the user, because not every
    /// program names its session.
    private var phoneUses: [[UInt8]: Duration] = [:]

    package init() {}

    package mutating func heard(_ event: LogindEvent, _ out: inout Output) {
        switch event {
        case .appeared(let session): if appeared[session.id] == nil { appeared[session.id] = out.time }
        case .removed(let session):
            appeared[session.id] = nil
            typed[Self.key(Array(session.user.utf8), session.idBytes)] = nil
        case .available, .unread, .unavailable, .changed, .sleeping, .woke, .shuttingDown: break
        }
    }

    /// Notes a program's report of a typed password. It may come before logind announces the session.
    package mutating func passwordTyped(_ user: [UInt8], in session: [UInt8], _ now: Duration) {
        Self.note(Self.key(user, session), in: &typed, now)
    }

    /// Returns a unique key: neither part has a zero byte.
    private static func key(_ user: [UInt8], _ session: [UInt8]) -> [UInt8] {
        user + [0] + session
    }

    /// Notes that a phone gave the user's password to a program.
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
    ///   - isOfPhone: Returns true if a phone has opened the session, or if the opener is unknown.
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
            isLockedByAgent: locked.contains(session.idBytes))
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
            } else if isOfPhone(session.idBytes)
                || Self.isFresh(phoneUses[user], out.time)
            {
                .ofPhone
            } else if !isFresh(session, out.now) {
                .tooLong
            } else if !Self.isFresh(typed[Self.key(user, session.idBytes)], out.time) {
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

    /// Returns whether the session is recent by two clocks. logind's clock also covers sessions older than this agent,
    /// but stops during suspend. The time since this agent heard of the session includes suspend.
    private func isFresh(_ session: LogindSession, _ now: Moment) -> Bool {
        guard Self.isFresh(appeared[session.id], now.sinceBoot) else { return false }
        let age = now.sinceBoot - now.asleep - .microseconds(session.openedMicroseconds)
        return age <= Self.freshness
    }

    private static func isFresh(_ time: Duration?, _ now: Duration) -> Bool {
        time.map { now - $0 <= freshness } ?? false
    }

    private func refuse(_ arrival: Arrival, _ refusal: SelfEnrolmentPlace, _ out: inout Output) {
        // All callers share one budget: a user with subordinate uids (subuid(5)) can call under many uids.
        out.logCounted(
            .notice, "uid \(arrival.caller.uid) may not enrol a phone here: \(refusal.what)",
            paidBy: .anybody(command: "enrol --self"))
        out.emit(.tellControl(arrival.control, Refusals.failure(.notPermitted, refusal.what, refusal.cure)))
    }
}

/// The reason why a phone cannot be enrolled from the caller's place.
enum SelfEnrolmentPlace: Equatable, Sendable {
    case noSession, otherUser, notAtSeat, noLogin, ofPhone, noPassword, tooLong

    var what: String {
        switch self {
        case .noSession: "this command was started outside a login session"
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
