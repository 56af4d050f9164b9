import SiteCore
import SiteLink

/// One phone that is enrolled through a box: its channel and its state machine. Used on the server's loop alone.
final class CarriedEnrolment {
    let end: SiteEnrolmentEnd
    var machine: SiteEnrolment

    init(_ end: SiteEnrolmentEnd, now: Duration) {
        self.end = end
        machine = SiteEnrolment(now: now)
    }
}
