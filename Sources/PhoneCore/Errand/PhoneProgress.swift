import PhoneMessages

/// The current activity of the phone, for the person.
public enum PhoneProgress: Sendable, Equatable {
    case searching(boxID: String)
    case connecting(boxID: String)
    /// A box in range shows the digits but is not the box that is meant. Nothing was sent to it.
    case passedBy(boxID: String, IdentityProblem)
    /// The link broke, and the phone tries again.
    case retrying(boxID: String)
    /// A better carrier is not available now. The shortcoming follows the box's name.
    case lesserCarrier(boxID: String, shortcoming: String)
    /// The channel is open.
    case connected(boxID: String)
    /// The six digits, which the administrator's terminal must show as well, as `123 456`.
    case compare(digits: String)
    case waitingForAdministrator
    case request(LoginProgress)
    #if !hasFeature(Embedded)
        /// The site reports that another phone of the user was enrolled by a login at a box.
        case phoneEnrolled(EnrolledPhone)
    #endif
}
