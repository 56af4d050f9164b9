import PhoneMessages

/// What the phone is doing.
public enum PhoneProgress: Sendable, Equatable {
    case searching(boxID: String)
    case connecting(boxID: String)
    /// A box in range shows the digits and is not the one that is meant. Nothing was sent to it.
    case passedBy(boxID: String, IdentityProblem)
    /// The link broke; one more try.
    case retrying(boxID: String)
    /// A better carrier was wanted than is to be had now; what is the matter goes behind the box's name.
    case lesserCarrier(boxID: String, shortcoming: String)
    /// The channel stands.
    case connected(boxID: String)
    /// Six digits that the administrator's terminal must show as well, there as `123 456`.
    case compare(digits: String)
    case waitingForAdministrator
    case request(LoginProgress)
    #if !hasFeature(Embedded)
        /// The site says that another phone of the user's was enrolled, by a login at a box.
        case phoneEnrolled(EnrolledPhone)
    #endif
}
