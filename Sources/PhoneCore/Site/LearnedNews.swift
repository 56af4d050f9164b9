import PhoneMessages
import VaultPort

/// What a box has told of a site and the site has signed, to be written down.
struct LearnedNews: Sendable {
    let site: KnownSite
    let news: SiteNews
    /// Entries came: there may be more of the same part.
    let isMore: Bool
    #if !hasFeature(Embedded)
        /// Phones that were enrolled for the user and of which this phone has not heard before.
        let enrolled: [EnrolledPhone]
    #endif
}

/// What a box's answer is good for.
enum NewsVerdict: Sendable {
    /// Something in it is not as the site signs: nothing of it counts.
    case refused
    case nothing
    case news(LearnedNews)
}

/// A message of such an answer.
struct ToldNews: Sendable {
    let kind: SiteNewsKind
    let bytes: [UInt8]
}
