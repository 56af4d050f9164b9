import AgentConfiguration
import Names
import PhoneMessages
import VaultPort

/// All decisions of the agent as one machine. Events go in, and effects come out in the order to perform them.
///
/// It only composes. Components decide, `AgentMachine+Routing` and `AgentMachine+Facts` deliver events and facts, and
/// `Told` compares the new state with the last one told. The only clock is the event's. The only deadline is the
/// earliest of all components. It has more than twelve stored variables because all components meet here.
package struct AgentMachine: Sendable {
    package internal(set) var policy: Policy
    var ledger = Ledger()
    private var heldAnswers = HeldAnswers()
    var phones: Phones
    var places = ChannelPlaces()
    var enrolments: Enrolments
    var credentials = Credentials()
    var logins: Logins
    var elevations = Elevations()
    var deliveries = Deliveries()
    var sessions = OwnedSessions()
    var orders = SessionOrders()
    var helpers = SessionHelpers()
    var restoring = Restoring()
    var presences = Presences()
    var logouts = Logouts()
    var controls = Controls()
    var advertising: Advertising
    var site: SiteMembership
    var sitePhones = SitePhones()
    var selfEnrolments = SelfEnrolments()
    /// Devices whose user's name belongs to an account of another number (docs/decisions/057-user-names.md).
    var devicesOfOthers: Set<DeviceID> = []
    private var told: Told

    package init(_ policy: Policy, now: Moment, box: SiteBox = .none) {
        self.policy = policy
        phones = Phones(policy)
        enrolments = Enrolments(policy)
        logins = Logins(policy)
        advertising = Advertising(now: now)
        site = SiteMembership(box)
        told = Told(BoxShown(boxID: policy.boxID))
    }

    /// Returns the effects of the event and of the time that has passed.
    package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        if case .policy(let configuration) = event { policy.configuration = configuration }
        var out = Output(now: now, policy: policy)
        // Deadlines that have passed come before this event.
        expire(&out)
        hearAll(&out)
        route(event, &out)
        hearAll(&out)
        if let shown = site.shown(policy) {
            policy.boxID = shown.boxID
            policy.isOfSite = shown.siteCertificate != nil
        }
        told.compare(with: view, &out)
        var answered: OperationID?
        if case .answered(let id, _) = event { answered = id }
        var effects: [Effect] = []
        for effect in heldAnswers.pass(out.inOrder(), stored: answered, now: now.sinceBoot) {
            switch effect {
            case .tellPhone(let channel, let message):
                // A phone that has left or was revoked is told nothing, even if a component has messages for it.
                guard phones.hears(channel) else { continue }
                if let answer = message.answers, answer.isLast { phones.answered(answer.request, on: channel) }
            case .finish(let channel, _, _): phones.finished(channel)
            default: break
            }
            effects.append(effect)
        }
        return effects
    }

    /// The time at which `timeHasCome` is due, or nil if no timer runs. An idle agent sleeps.
    package var deadline: Duration? {
        let rooms = [
            ledger.deadline, heldAnswers.deadline, enrolments.deadline, logins.deadline, elevations.deadline,
            deliveries.deadline, sessions.deadline, orders.deadline, restoring.deadline, presences.deadline,
            logouts.deadline, advertising.deadline, site.deadline, sitePhones.deadline,
        ]
        return rooms.compactMap(\.self).min()
    }

    private mutating func expire(_ out: inout Output) {
        ledger.timeHasCome(&out)
        enrolments.timeHasCome(&out)
        logins.timeHasCome(&out)
        elevations.timeHasCome(&out)
        deliveries.timeHasCome(&out)
        sessions.timeHasCome(&out)
        orders.timeHasCome(known, &out)
        restoring.timeHasCome(&out)
        presences.timeHasCome(&out)
        logouts.timeHasCome(&out)
        advertising.timeHasCome(&out)
        site.timeHasCome(&out)
        sitePhones.timeHasCome(&out)
    }

    private mutating func hearAll(_ out: inout Output) {
        while let fact = out.nextFact() { hear(fact, &out) }
    }

    /// The existing sessions, each with the ways to lock it.
    var known: [KnownSession] { sessions.known(helped: helpers.sessions, policy.configuration) }

    /// Returns whether the phone of the device has a channel and does not count as away.
    func isHere(_ device: DeviceID) -> Bool { phones.isConnected(device) && !presences.isAway(device) }
}
