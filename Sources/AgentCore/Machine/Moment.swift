/// The clocks at the time of one event.
package struct Moment: Equatable, Sendable {
    /// CLOCK_BOOTTIME, which includes suspend and ignores clock changes. All times of the machine use this clock.
    package var sinceBoot: Duration
    /// Seconds since midnight, local time, 0…86,400. Closing times use this clock.
    package var secondOfDay: Int64
    /// The time that the machine was suspended since boot: CLOCK_BOOTTIME minus CLOCK_MONOTONIC, which logind uses.
    package var asleep: Duration

    package init(sinceBoot: Duration, secondOfDay: Int64 = 0, asleep: Duration = .zero) {
        self.sinceBoot = sinceBoot
        self.secondOfDay = secondOfDay
        self.asleep = asleep
    }
}
