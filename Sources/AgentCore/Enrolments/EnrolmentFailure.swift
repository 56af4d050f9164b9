import ControlProtocol

/// How an enrolment ended without a device. In each case its code is void.
package enum EnrolmentFailure: Equatable, Sendable {
    case expired
    case declined
    /// The phone that had connected went, or did not finish.
    case phoneLost
    /// The administrator's yes was not about the phone that waits.
    case otherDigits
    /// The phone showed another nonce than it had committed to: no phone of ours does.
    case brokenCommitment

    /// It was a page in a browser, and the code was for another phone.
    case webPhone

    /// What the administrator is told.
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
                .declined, "the answer was about digits other than the phone's",
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
