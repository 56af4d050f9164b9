/// Where browsers find the page: scheme, host and port, as they say it in `Origin` (RFC 6454 section 6.1).
public struct PageOrigin: Equatable, Sendable {
    public let text: String
    public let host: String
    /// As it stands in `Host`: with the port, where it is not the scheme's own.
    public let authority: String
    public let isSecure: Bool

    /// Reads `https://HOST[:PORT]`, or http for localhost alone. Browsers give passkeys to these only. Nil for any other text.
    public init?(_ text: String) {
        guard let split = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<split.lowerBound]
        let authority = text[split.upperBound...]
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, Self.isHost(host) else { return nil }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else { return nil }
            // A browser leaves it out.
            if port == (scheme == "https" ? 443 : 80) { return nil }
        }
        switch scheme {
        case "https": isSecure = true
        case "http" where host == "localhost" || host.hasSuffix(".localhost"): isSecure = false
        default: return nil
        }
        (self.text, self.host, self.authority) = (text, String(host), String(authority))
    }

    /// A name of letters, digits, hyphens and dots in lower case: passkeys are not good at addresses.
    private static func isHost(_ host: Substring) -> Bool {
        guard (1...253).contains(host.utf8.count) else { return false }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        }
        guard isName, let last = labels.last else { return false }
        return !last.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
