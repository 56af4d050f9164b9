import AgentConfiguration
import AgentCore

/// One phone's week beside a box. The agent's machine and a rule that trusts single samples get the same samples.
struct SimulatedWeek: Sendable {
    /// The decisions of one of the two rules in the week.
    struct Outcome: Equatable {
        /// Locks while the person had sat at the box for at least `settledSeconds`.
        var locksWhileSeated = 0
        /// Offers or unlocks while all recent mean signals were below the near threshold minus `toleranceDB`.
        var nearFromBeyond = 0
        /// The greatest distance of any offer or unlock, in metres.
        var farthestNear = 0.0
        var nears = 0
        var locks = 0
    }

    var machine = Outcome()
    var singleSample = Outcome()
    var samples = 0
    /// How often the person sat down after a departure, and how often an offer came before or within 20 s.
    var arrivals = 0
    var arrivalsOffered = 0
    /// How often the person was away with a weak signal for 30 s, and how often the box was locked by then. The signal
    /// is weak while the link is down, or the mean signal is below the far threshold minus `toleranceDB`.
    var departures = 0
    var departuresLocked = 0
    /// The times from the beginning of a weak signal to the lock, in seconds.
    var lockDelays: [Double] = []

    /// The tolerance of comparisons of mean signals with thresholds. It is the hysteresis, because the average of a few
    /// samples still has noise.
    static let toleranceDB = 5.0
    static let lookBackSeconds = 10.0
    /// A person who has sat for less time is still arriving, as far as an average can tell.
    static let settledSeconds = 5.0

    private var presence: Presence
    private var single: SingleSampleRule
    private var radio: SimulatedRadio
    private let itinerary: Itinerary
    private let thresholds: PresenceThresholds
    private var recentMeans: [(time: Double, dBm: Double)] = []
    private var weakFrom: Double?
    private var departureCounted = false
    /// A departure needs an earlier arrival.
    private var hasArrived = false
    private var seatedAt: Double?
    private var arrivalOpen = false
    private var link = SimulatedLink()

    init(seed: UInt64, offsetDB: Double, thresholds: PresenceThresholds) {
        itinerary = Itinerary(seed: seed)
        radio = SimulatedRadio(seed: seed &+ 1, offsetDB: offsetDB)
        self.thresholds = thresholds
        presence = Presence(thresholds: thresholds, now: .zero)
        single = SingleSampleRule(thresholds: thresholds)
    }

    mutating func run() {
        var cursor = 0
        var time = itinerary.stays.first?.from ?? 0
        let end = (itinerary.stays.last?.until ?? 0) + 60
        while time < end {
            // Some reports are late, because the phone sleeps or packets are repeated.
            let isLate = link.isUp && radio.chance(0.002)
            let step = 1.0 + radio.uniform(0, 0.2) + (isLate ? radio.uniform(2, 8) : 0)
            time += step
            // Skips the night: nothing is heard, and after one more step every timer has fired.
            if cursor + 1 < itinerary.stays.count, itinerary.stays[cursor].metres >= Itinerary.goneMetres,
                itinerary.stays[cursor + 1].from - time > 600
            {
                advance(to: time, itinerary.position(at: time, &cursor), step)
                time = itinerary.stays[cursor + 1].from - 120
            }
            advance(to: time, itinerary.position(at: time, &cursor), step)
        }
    }

    private mutating func advance(to time: Double, _ position: Itinerary.Position, _ step: Double) {
        // The timer fires when it is due, not with the next report.
        while let due = presence.deadline, due < Duration(time) {
            take(presence.handle(.timer, now: due), at: due.seconds, position)
        }
        let mean = radio.meanDBm(at: time, position, step: step)
        recentMeans.append((time, mean))
        while let first = recentMeans.first, time - first.time > Self.lookBackSeconds { recentMeans.removeFirst() }
        follow(position, mean, at: time)
        if link.isInterrupted(at: time, &radio, step: step, isSeated: position.isSeated) || position.metres > 100 {
            link.hear(nil, at: time)
        } else {
            link.hear(mean, at: time)
        }
        take(presence.handle(link.isUp ? .linkUp : .linkDown, now: Duration(time)), at: time, position)
        var singleActions = single.link(isUp: link.isUp, at: time)
        if link.isUp {
            let sample = radio.sample(around: mean, position)
            samples += sample == nil ? 0 : 1
            take(presence.handle(.report(dBm: sample), now: Duration(time)), at: time, position)
            singleActions += sample.map { single.sample($0) } ?? []
        }
        for action in singleActions { count(action, position, at: time, in: \.singleSample) }
    }

    private var isBeyond: Bool {
        recentMeans.allSatisfy { $0.dBm < Double(thresholds.nearDBm) - Self.toleranceDB }
    }

    private mutating func take(_ actions: [Presence.Action], at time: Double, _ position: Itinerary.Position) {
        for action in actions {
            switch action {
            case .away:
                count(.lock, position, at: time, in: \.machine)
                if let weakFrom, !position.isSeated { lockDelays.append(time - weakFrom) }
            case .offer:
                count(.near, position, at: time, in: \.machine)
                arrivalsOffered += arrivalOpen ? 1 : 0
                arrivalOpen = false
            case .back, .withdrawOffer: break
            }
        }
    }

    private mutating func count(
        _ action: SingleSampleRule.Action, _ position: Itinerary.Position, at time: Double,
        in rule: WritableKeyPath<SimulatedWeek, Outcome>
    ) {
        switch action {
        case .lock:
            self[keyPath: rule].locks += 1
            let isSettled = seatedAt.map { time - $0 >= Self.settledSeconds } ?? false
            self[keyPath: rule].locksWhileSeated += isSettled ? 1 : 0
        case .near:
            self[keyPath: rule].nears += 1
            self[keyPath: rule].nearFromBeyond += isBeyond ? 1 : 0
            self[keyPath: rule].farthestNear = max(self[keyPath: rule].farthestNear, position.metres)
        }
    }

    /// Counts arrivals and departures, which do not depend on the decisions of a rule.
    private mutating func follow(_ position: Itinerary.Position, _ mean: Double, at time: Double) {
        if position.isSeated {
            hasArrived = true
            if seatedAt == nil {
                seatedAt = time
                // A person who got an offer on the way needs no second offer.
                arrivalOpen = presence.state != .near && departureCounted
                arrivals += departureCounted ? 1 : 0
                arrivalsOffered += departureCounted && !arrivalOpen ? 1 : 0
                departureCounted = false
            } else if let seatedAt, time - seatedAt > 20 {
                arrivalOpen = false
            }
        } else {
            seatedAt = nil
        }
        guard mean < Double(thresholds.farDBm) - Self.toleranceDB || !link.isUp else {
            weakFrom = nil
            return
        }
        weakFrom = weakFrom ?? time
        if !departureCounted, hasArrived, !position.isSeated, let weakFrom, time - weakFrom >= 30 {
            departureCounted = true
            departures += 1
            departuresLocked += presence.state.isAway ? 1 : 0
        }
    }
}

/// Locks and unlocks by the last sample, as the simplest programs do. A link is lost after 15 s, as in the agent.
struct SingleSampleRule {
    enum Action {
        case lock
        case near
    }

    let thresholds: PresenceThresholds
    private var isLocked = false
    private var isNear = false
    private var downSince: Double?

    init(thresholds: PresenceThresholds) {
        self.thresholds = thresholds
    }

    mutating func link(isUp: Bool, at time: Double) -> [Action] {
        guard !isUp else {
            downSince = nil
            return []
        }
        downSince = downSince ?? time
        isNear = false
        guard let downSince, time - downSince >= 15, !isLocked else { return [] }
        isLocked = true
        return [.lock]
    }

    mutating func sample(_ dBm: Int) -> [Action] {
        let wasNear = isNear
        isNear = dBm >= thresholds.nearDBm
        if dBm < thresholds.farDBm, !isLocked {
            isLocked = true
            return [.lock]
        }
        guard isNear, !wasNear else { return [] }
        isLocked = false
        return [.near]
    }
}

/// The connection between phone and box, which breaks out of range or by interference. A scan restores the connection.
struct SimulatedLink {
    private(set) var isUp = false
    private var weak = 0.0
    private var strong = 0.0
    private var last = 0.0
    private var interruptedUntil = 0.0

    /// Returns true about three times in a working day, for 2 to 8 s.
    mutating func isInterrupted(
        at time: Double, _ radio: inout SimulatedRadio, step: Double, isSeated: Bool
    ) -> Bool {
        if isSeated, time >= interruptedUntil + 60, radio.chance(step / 10_000) {
            interruptedUntil = time + radio.uniform(2, 8)
        }
        return time < interruptedUntil
    }

    mutating func hear(_ meanDBm: Double?, at time: Double) {
        let passed = time - last
        last = time
        let isHeard = (meanDBm ?? -200) > (isUp ? -93 : -90)
        strong = isHeard ? strong + passed : 0
        weak = isHeard ? 0 : weak + passed
        // The first 4 s are the supervision time-out. The second are the time for a scan and a handshake.
        if isUp, weak > 4 { isUp = false }
        if !isUp, strong > 4 { isUp = true }
    }
}

extension Duration {
    fileprivate init(_ seconds: Double) { self = .milliseconds(Int64(seconds * 1_000)) }

    fileprivate var seconds: Double { self / .seconds(1) }
}
