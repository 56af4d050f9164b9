/// Decides when sessions end automatically: the phone is away, the user is idle, the session is too long, or it is
/// closing time. The first cause ends the session, after a warning. A tap postpones every cause except the phone's
/// absence.
///
/// A pure state machine over all sessions. Times are since boot (CLOCK_BOOTTIME): suspend counts, and clock changes do
/// not. Actions store the data that must survive the agent.
public struct LogoutSchedule<Session: Hashable & Sendable, Device: Hashable & Sendable>: Sendable {
    public enum Event: Sendable {
        /// Opened at `since`, perhaps during an earlier run of the agent. The end was postponed `extensions` times.
        case opened(Session, by: Device, since: Duration, extensions: Int64)
        case ended(Session)
        /// No input since then; nil if the user is active.
        case idle(Session, since: Duration?)
        case connected(Device)
        /// The last channel of the device closed.
        case disconnected(Device)
        /// The limit on absence from now on; nil is off. `isGuess` marks a substitute for a limit that cannot be read.
        case awaySet(Device, Duration?, isGuess: Bool = false)
        /// A deadline that an earlier run of the agent stored.
        case restored(Device, deadline: Duration)
        case limitsSet(LogoutLimits)
        /// The next closing time, or nil if none is configured.
        case closingSet(Duration?)
        /// An element of `putOffs`, sent once its stored data, if any, is written.
        case putOff(Session, PutOff)
        case timer
    }

    public enum Action: Equatable, Sendable {
        case writeDeadline(Device, Duration)
        case clearDeadline(Device)
        case warn(Session, LogoutCause, at: Duration)
        /// The end that the warning announced will not happen.
        case withdrawWarning(Session)
        case logout(Session, LogoutCause)
        /// A deadline of an earlier run has passed, and no session of the device is known.
        case logoutUnseen(Device)
    }

    /// A warning to the user about a session that ends soon.
    public struct Warning: Equatable, Sendable {
        public let cause: LogoutCause
        public let at: Duration
        /// True if a tap postpones the end.
        public let canExtend: Bool
    }

    /// The effect of a tap on a session that was warned.
    public enum PutOff: Equatable, Sendable {
        /// Postpones the end by idleness, without a limit on repetitions.
        case idleness
        /// Postpones the end. `times` is the total number of extensions with this one.
        case end(times: Int64)
        /// The end cannot be postponed again, or a tap never postpones it.
        case refused
    }

    private struct Warned: Equatable, Sendable {
        let cause: LogoutCause
        let at: Duration
    }

    private struct Tracked: Sendable {
        /// The order of opening: the order of a dictionary differs from run to run.
        let number: UInt64
        let device: Device
        let since: Duration
        var extensions: Int64
        var idleSince: Duration?
        /// The time of the user's last tap to continue. Idleness counts from then at the earliest.
        var tapped: Duration = .zero
        var closing: Duration?
        /// The earliest end after a limit was lowered.
        var earliest: Duration = .zero
        var warned: Warned?

        func putOff(_ limits: LogoutLimits) -> PutOff? {
            switch warned?.cause {
            case nil: nil
            case .idle: .idleness
            case .longest, .closing: extensions < limits.extensionLimit ? .end(times: extensions + 1) : .refused
            case .away: .refused
            }
        }
    }

    public private(set) var limits: LogoutLimits
    private var away = AwayLogout<Device>()
    private var sessions: [Session: Tracked] = [:]
    private var closing: Duration?
    private var lastNumber: UInt64 = 0

    public init(limits: LogoutLimits = LogoutLimits()) {
        self.limits = limits
    }

    /// The time at which `.timer` is due.
    public var deadline: Duration? {
        let own = sessions.values.compactMap { session -> Duration? in
            guard let (cause, end) = end(of: session) else { return nil }
            return session.warned?.cause == cause ? end : end - limits.warningTime
        }
        return (own + [away.deadline].compactMap(\.self)).min()
    }

    /// The devices with a session or a deadline.
    public var devices: [Device] { away.devices }

    /// The tracked sessions, in the order of opening.
    public var openSessions: [Session] { inOrder.map(\.key) }

    /// Returns when the device's sessions end because it is away, or nil while it is here.
    public func awayDeadline(of device: Device) -> Duration? { away.deadline(of: device) }

    /// Returns the cause and the time of the first end among the device's sessions.
    public func nextEnd(of device: Device) -> (cause: LogoutCause, at: Duration)? {
        inOrder.filter { $0.value.device == device }.compactMap { end(of: $0.value) }.min { $0.at < $1.at }
    }

    /// Returns the warning of the device's session that ends first.
    public func warning(of device: Device) -> Warning? {
        inOrder.map(\.value).filter { $0.device == device }.compactMap { session in
            session.warned.map { Warning(cause: $0.cause, at: $0.at, canExtend: session.putOff(limits) != .refused) }
        }.min { $0.at < $1.at }
    }

    /// Returns what a tap does now, for each of the device's sessions that was warned. Extensions cannot be collected
    /// before a warning. The call changes nothing.
    public func putOffs(of device: Device) -> [(session: Session, putOff: PutOff)] {
        inOrder.filter { $0.value.device == device }.compactMap { session, tracked in
            tracked.putOff(limits).map { (session, $0) }
        }
    }

    private var inOrder: [(key: Session, value: Tracked)] { sessions.sorted { $0.value.number < $1.value.number } }

    public mutating func handle(_ event: Event, now: Duration) -> [Action] {
        var actions = apply(event, now: now)
        actions += warnings(now: now)
        return actions
    }

    private mutating func apply(_ event: Event, now: Duration) -> [Action] {
        switch event {
        case .opened(let session, let device, let since, let extensions):
            lastNumber += 1
            // A closing time that has passed does not apply to the new session.
            sessions[session] = Tracked(
                number: lastNumber, device: device, since: since, extensions: extensions,
                closing: closing.flatMap { $0 > now ? $0 : nil })
            return translate(away.handle(.sessionOpened(device), now: now))
        case .ended(let session):
            guard let ended = sessions.removeValue(forKey: session) else { return [] }
            guard !sessions.values.contains(where: { $0.device == ended.device }) else { return [] }
            return translate(away.handle(.sessionsEnded(ended.device), now: now))
        case .idle(let session, let since):
            // logind may report idleness late. Always leave the time of a warning.
            let latest = limits.idle.map { now + limits.warningTime - $0 } ?? .zero
            if since == nil || sessions[session]?.idleSince == nil {
                sessions[session]?.idleSince = since.map { max($0, latest) }
            }
            return []
        case .connected(let device): return translate(away.handle(.connected(device), now: now))
        case .disconnected(let device): return translate(away.handle(.disconnected(device), now: now))
        case .awaySet(let device, let limit, let isGuess):
            return translate(
                away.handle(.limitSet(device, limit, notice: limits.warningTime, isGuess: isGuess), now: now))
        case .restored(let device, let deadline):
            return translate(away.handle(.restored(device, deadline: deadline), now: now))
        case .limitsSet(let limits):
            setLimits(limits, now: now)
            return []
        case .closingSet(let time):
            setClosing(time, now: now)
            return []
        case .putOff(let session, let putOff):
            take(putOff, for: session, now: now)
            return []
        case .timer: return expire(now: now)
        }
    }

    /// Forgets a device with a deadline of an earlier run whose sessions are gone.
    public mutating func forget(_ device: Device, now: Duration) -> [Action] {
        guard !sessions.values.contains(where: { $0.device == device }) else { return [] }
        return translate(away.handle(.sessionsEnded(device), now: now))
    }

    // MARK: - Ends

    private func end(of session: Tracked) -> (cause: LogoutCause, at: Duration)? {
        let extended = limits.extensionTime * Double(session.extensions)
        var ends: [(cause: LogoutCause, at: Duration)] = []
        if let deadline = away.deadline(of: session.device) { ends.append((.away, deadline)) }
        if let limit = limits.idle, let since = session.idleSince {
            ends.append((.idle, max(max(since, session.tapped) + limit, session.earliest)))
        }
        if let limit = limits.longest {
            ends.append((.longest, max(session.since + limit, session.earliest) + extended))
        }
        if let closing = session.closing { ends.append((.closing, closing + extended)) }
        return ends.min { $0.at < $1.at }
    }

    private mutating func expire(now: Duration) -> [Action] {
        var actions: [Action] = []
        for action in away.handle(.timer, now: now) {
            guard case .logout(let device) = action else {
                actions += translate([action])
                continue
            }
            let own = inOrder.filter { $0.value.device == device }.map(\.key)
            actions += own.isEmpty ? [.logoutUnseen(device)] : own.map { .logout($0, .away) }
            for session in own { sessions[session] = nil }
        }
        for (session, tracked) in inOrder {
            guard let (cause, at) = end(of: tracked), at <= now else { continue }
            sessions[session] = nil
            actions.append(.logout(session, cause))
            if !sessions.values.contains(where: { $0.device == tracked.device }) {
                actions += translate(away.handle(.sessionsEnded(tracked.device), now: now))
            }
        }
        return actions
    }

    private mutating func warnings(now: Duration) -> [Action] {
        var actions: [Action] = []
        for (session, tracked) in inOrder {
            let end = end(of: tracked)
            let isNear = end.map { $0.at - limits.warningTime <= now } ?? false
            let warned = isNear ? end.map { Warned(cause: $0.cause, at: $0.at) } : nil
            guard warned != tracked.warned else { continue }
            sessions[session]?.warned = warned
            if let warned {
                actions.append(.warn(session, warned.cause, at: warned.at))
            } else {
                actions.append(.withdrawWarning(session))
            }
        }
        return actions
    }

    private mutating func take(_ putOff: PutOff, for session: Session, now: Duration) {
        switch putOff {
        case .idleness: sessions[session]?.tapped = now
        case .end(let times):
            if let old = sessions[session]?.extensions { sessions[session]?.extensions = max(old, times) }
        case .refused: break
        }
    }

    /// Sets the limits. Sessions that already exceed the new limits are warned first.
    private mutating func setLimits(_ limits: LogoutLimits, now: Duration) {
        guard limits != self.limits else { return }
        let before = sessions.mapValues { end(of: $0)?.at }
        self.limits = limits
        for (session, tracked) in sessions {
            guard let end = end(of: tracked), end.cause != .away, end.at < now + limits.warningTime else { continue }
            sessions[session]?.earliest = min(
                before[session].flatMap(\.self) ?? .seconds(Int64.max), now + limits.warningTime)
        }
    }

    /// A session that was warned of a closing keeps that time: the next closing is tomorrow.
    private mutating func setClosing(_ time: Duration?, now: Duration) {
        closing = time
        for (session, tracked) in sessions {
            if let old = tracked.closing, old - limits.warningTime <= now { continue }
            sessions[session]?.closing = time
        }
    }

    private func translate(_ actions: [AwayLogout<Device>.Action]) -> [Action] {
        actions.compactMap { action in
            switch action {
            case .writeDeadline(let device, let deadline): .writeDeadline(device, deadline)
            case .clearDeadline(let device): .clearDeadline(device)
            case .logout: nil
            }
        }
    }
}
