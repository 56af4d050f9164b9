/// The limits of a server's work for boxes.
public enum SiteLimits {
    /// Boxes that one survey records as seen: a fifth of the links, each minute.
    static let seenAtOnce = 2_400
    /// Links at once: 10,000 boxes, and some that come back before their old link is known to be dead.
    static let links = 12_000
    /// Links without a proved key: in all, and from one IPv4 address or IPv6 /64.
    static let unproven = 4_096
    static let unprovenPerNetwork = 1_024
    /// Batches of entries that are sent before the link must drain: 4 × 7.8 KB.
    static let batchesAtOnce = 4
    /// Boxes that wait for their turn to upload. A box beyond these asks again at the next signed status.
    static let waitingUploads = 64
    /// Uploads of one link that brought nothing new. If the box still reports a difference, the sets cannot agree.
    static let vainUploads = 2
    /// Renewals that a box may ask for on one link, which lasts less than an hour. Then: renewals on all links at once.
    static let renewals = 60
    static let renewalsAtOnce = 64
    /// Carries: at once on one link, in total on one link (which lasts less than an hour), and at once on all links.
    static let carriesOfLink = 8
    static let carriesInAll = 1_500
    static let carriesAtOnce = 64
    /// Requests about credentials that are under way: of one link, and of all links.
    static let heldOnLink = 8
    static let heldAtOnce = 256
    /// Refused requests about credentials on one link, which lasts less than an hour. After that many, the link's
    /// requests are refused unread.
    static let heldRefusals = 60
    /// From a box, the site only accepts lower numbers, because a stolen issuer key could sign any number. A site that
    /// comes this far needs a new generation.
    public static let number: UInt64 = 1 << 62
}
