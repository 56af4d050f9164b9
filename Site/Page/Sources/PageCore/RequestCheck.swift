/// Checks whether a request comes from this page's own forms and links.
public enum RequestCheck {
    /// The browser's statements about a request.
    public struct Facts: Sendable {
        public let authority: String?
        /// The second and further Host headers.
        public let otherHosts: [String]
        public let transferEncodings: [String]
        public let origin: String?
        public let fetchSite: String?
        public let isPost: Bool

        public init(
            authority: String?, otherHosts: [String] = [], transferEncodings: [String] = [],
            origin: String?, fetchSite: String?, isPost: Bool
        ) {
            (self.authority, self.otherHosts) = (authority, otherHosts)
            self.transferEncodings = transferEncodings
            (self.origin, self.fetchSite, self.isPost) = (origin, fetchSite, isPost)
        }
    }

    public enum Verdict: Equatable, Sendable {
        case good
        /// A proxy may have understood the request in another way (RFC 9112 sections 3.2 and 6.1).
        case ambiguous
        /// The request names another host. That name points to this address, or a proxy does not pass our name on.
        case otherHost
        /// Another page has sent the form.
        case otherOrigin
    }

    /// A form must have this page's `Origin`. If the browser sends `Sec-Fetch-Site`, that must be "same-origin".
    public static func verdict(_ facts: Facts, _ origin: PageOrigin) -> Verdict {
        guard facts.otherHosts.isEmpty,
            facts.transferEncodings.isEmpty || facts.transferEncodings.map({ $0.lowercased() }) == ["chunked"]
        else { return .ambiguous }
        guard facts.authority?.lowercased() == origin.authority else { return .otherHost }
        guard facts.isPost else { return .good }
        guard facts.origin == origin.text, facts.fetchSite.map({ $0 == "same-origin" }) ?? true else {
            return .otherOrigin
        }
        return .good
    }
}
