import SiteCore
import SiteLink

/// One phone that is enrolled through a box: its channel, and what decides about it. On the server's loop alone.
final class CarriedEnrolment {
    let end: SiteEnrolmentEnd
    var machine: SiteEnrolment

    init(_ end: SiteEnrolmentEnd, now: Duration) {
        self.end = end
        machine = SiteEnrolment(now: now)
    }
}
