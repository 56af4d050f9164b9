/// What the clocks show while one event is handled.
package struct Moment: Equatable, Sendable {
    /// CLOCK_BOOTTIME: goes on during suspend, and no clock change moves it. All times of the machine are of this clock.
    package var sinceBoot: Duration
    /// Seconds since midnight, local time, 0…86,400: closing times are of this clock.
    package var secondOfDay: Int64
    /// How long the machine has slept since its boot: what CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC, by which logind counts.
    package var asleep: Duration

    package init(sinceBoot: Duration, secondOfDay: Int64 = 0, asleep: Duration = .zero) {
        self.sinceBoot = sinceBoot
        self.secondOfDay = secondOfDay
        self.asleep = asleep
    }
}
