/// The reasons why a site no longer serves a box, or does not serve it yet. The site sends the reason inside the
/// channel, so only the owner of the box's key learns the reason.
public enum SiteRefusal: UInt8, Error, CaseIterable {
    /// No box has joined with this key.
    case unknownBox = 1
    /// The box was removed; its key never joins again.
    case removed = 2
    /// The same key came from two addresses.
    case suspended = 3
    /// The join code was used or revoked.
    case codeUsed = 4
    /// The join code has expired.
    case codeExpired = 5
    /// This key has joined before.
    case alreadyJoined = 6
    /// The server cannot reach its database.
    case notNow = 7
    /// The box used a code for many boxes, and an administrator has not approved it yet.
    case waiting = 8

    /// A text for an administrator at the box: the problem and its cure.
    public var text: String {
        switch self {
        case .unknownBox: "the site does not know this box; run `boxagent leave`, then join with a new code"
        case .removed:
            "the site has removed this box for good; to bring the machine back, see \"Remove a box\" in /usr/share/doc/boxagent/how-to/run-a-site.md"
        case .suspended:
            "the site has suspended this box, because its key was used from two addresses; ask the site's administrator"
        case .codeUsed: "the code is already used or revoked; ask for a new one (boxsite box add)"
        case .codeExpired: "the code has expired; ask for a new one (boxsite box add)"
        case .alreadyJoined: "this box has already joined the site"
        case .waiting:
            "the site's administrator has not approved this box yet (boxsite box approve); after that, join again with the same code"
        case .notNow: "the site's server cannot reach its database; try again in a minute"
        }
    }
}
