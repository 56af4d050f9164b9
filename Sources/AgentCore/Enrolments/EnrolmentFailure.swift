import ControlProtocol

/// The reason why an enrolment ended without a device. In each case its code is cancelled.
package enum EnrolmentFailure: Equatable, Sendable {
    case expired
    case declined
    /// The connected phone left, or did not finish.
    case phoneLost
    /// The administrator confirmed digits other than those of the waiting phone.
    case otherDigits
    /// The revealed nonce did not fit the commitment. A genuine phone never does this.
    case brokenCommitment

    /// The phone was a page in a browser, but the code was for another kind of phone.
    case webPhone

    /// The text for the administrator.
    package var reply: ControlReply {
        switch self {
        case .expired:
            Refusals.failure(
                .timedOut, "no phone was enrolled before the code expired", "run 'boxagent enrol' again")
        case .declined:
            Refusals.failure(
                .declined, "the enrolment was declined; no device was added",
                "if the digits differed, a person nearby may have the code: run 'boxagent enrol' again, and keep the new code secret"
            )
        case .phoneLost:
            Refusals.failure(
                .declined, "the phone disconnected before it was enrolled, so its code is no longer valid",
                "run 'boxagent enrol' again: it shows a new code")
        case .otherDigits:
            Refusals.failure(
                .declined, "the phone shows other digits than you confirmed",
                "run 'boxagent enrol' again: it shows a new code")
        case .webPhone:
            Refusals.failure(
                .declined, "the phone is a web page, but this code was not made for one; no device was added",
                "run 'boxagent enrol --web'; /usr/share/doc/boxagent/how-to/host-the-web-phone.md says what such a phone cannot do"
            )
        case .brokenCommitment:
            Refusals.failure(
                .declined, "a phone with this code tried to choose its digits; no device was added",
                "a person nearby may have the code: run 'boxagent enrol' again, and keep the new code secret")
        }
    }
}
