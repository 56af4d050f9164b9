import PhoneMessages
import VaultPort

/// Verified site data from a box, for the vault to store.
struct LearnedNews: Sendable {
    let site: KnownSite
    let news: SiteNews
    /// True if entries came, so that this part may have more.
    let isMore: Bool
    #if !hasFeature(Embedded)
        /// The user's newly enrolled phones that this phone has not heard of before.
        let enrolled: [EnrolledPhone]
    #endif
}

/// The verdict on a box's answer to a question about news.
enum NewsVerdict: Sendable {
    /// One item is invalid, so none counts.
    case refused
    case nothing
    case news(LearnedNews)
}

/// One message of a box's answer to a question about news.
struct ToldNews: Sendable {
    let kind: SiteNewsKind
    let bytes: [UInt8]
}
