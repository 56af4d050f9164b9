import Links

/// The state of the radio, and how often the box advertises.
///
///     starting ──► working ◄──► faulty          fast ──30 s──► medium ──10 min──► slow; off while no link is free
package struct Advertising: Sendable {
    private var schedule: AdvertisingSchedule
    private var radio = RadioState()

    package init(now: Moment) {
        schedule = AdvertisingSchedule(now: now.sinceBoot)
    }

    package var deadline: Duration? { schedule.deadline }
    package var state: RadioState { radio }
    package var mode: AdvertisingMode { radio.isFull ? .off : schedule.mode }

    package mutating func heard(_ condition: RadioCondition, _ out: inout Output) {
        guard condition != radio.condition else { return }
        let wasFaulty = radio.fault != nil
        radio.condition = condition
        out.emit(.count(.radio(isWorking: radio.isWorking)))
        switch condition {
        case .faulty(let fault): out.log(.warning, "the radio: \(fault)")
        case .working(let detail) where wasFaulty: out.log(.notice, "the radio works again \(detail)")
        case .working, .starting: break
        }
    }

    package mutating func linksChanged(_ count: Int, _ out: inout Output) {
        radio.isFull = count >= out.policy.configuration.limits.links
    }

    /// Returns to fast advertising, because a user is likely to come.
    package mutating func expectSomebody(_ out: inout Output) {
        schedule.restart(now: out.time)
    }

    package mutating func timeHasCome(_ out: inout Output) {
        schedule.timeHasCome(now: out.time)
    }
}
