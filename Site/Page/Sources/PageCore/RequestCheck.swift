/// Whether a request is one that this page's own forms and links make.
public enum RequestCheck {
    /// What a browser says of a request.
    public struct Facts: Sendable {
        public let authority: String?
        public let origin: String?
        public let fetchSite: String?
        public let isPost: Bool

        public init(authority: String?, origin: String?, fetchSite: String?, isPost: Bool) {
            (self.authority, self.origin, self.fetchSite, self.isPost) = (authority, origin, fetchSite, isPost)
        }
    }

    public enum Verdict: Equatable, Sendable {
        case good
        /// It was meant for another host: a name that was bound to this address, or a proxy that does not say the name.
        case otherHost
        /// Another page has sent the form.
        case otherOrigin
    }

    /// A form has to say its origin, and it has to be the page's. Browsers that say whose request it is say "same-origin".
    public static func verdict(_ facts: Facts, _ origin: PageOrigin) -> Verdict {
        guard facts.authority?.lowercased() == origin.authority else { return .otherHost }
        guard facts.isPost else { return .good }
        guard facts.origin == origin.text, facts.fetchSite.map({ $0 == "same-origin" }) ?? true else {
            return .otherOrigin
        }
        return .good
    }
}
