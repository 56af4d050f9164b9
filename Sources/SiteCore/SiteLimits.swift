/// Bounds of what a server does for boxes.
public enum SiteLimits {
    /// Boxes that are written down as seen at once: one in five of the links, each minute.
    static let seenAtOnce = 2_400
    /// Links at once: 10,000 boxes, and some that come back before their old link is known to be dead.
    static let links = 12_000
    /// Links whose other end has not shown who it is: in all, and from one address.
    static let unproven = 4_096
    static let unprovenPerAddress = 1_024
    /// Batches of entries that are said before the link has to be drained: 4 × 7.8 KB.
    static let batchesAtOnce = 4
    /// Boxes that wait for their turn to say what they have more; another one asks again at the next head.
    static let waitingUploads = 64
    /// Uploads of one link that brought nothing: the sets of a box that still finds that they differ do not come together.
    static let vainUploads = 2
    /// Grants that a box may ask for on one link, which lasts less than an hour; and questions to the database of all links at once.
    static let renewals = 60
    static let renewalsAtOnce = 64
    /// Phones that a box carries messages for at once, and on one link, which lasts less than an hour; and of all links at once.
    static let carriesOfLink = 8
    static let carriesInAll = 1_500
    static let carriesAtOnce = 64
    /// Requests about credentials that are under way: of one link, and of all together.
    static let heldOnLink = 8
    static let heldAtOnce = 256
    /// Of one link, which lasts less than an hour: such as do not open, or are earlier ones. Behind that nothing of it is looked at.
    static let heldRefusals = 60
    /// A box may move the number up to here, as everybody could with a stolen issuer: above it the site needs a new generation.
    public static let number: UInt64 = 1 << 62
}
