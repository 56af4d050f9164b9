/// The page's scheme, host and port, as in `Origin` (RFC 6454 section 6.1).
public struct PageOrigin: Equatable, Sendable {
    public let text: String
    public let host: String
    /// The value of `Host`, with a port unless it is the scheme's default.
    public let authority: String
    public let isSecure: Bool

    /// Reads `https://HOST[:PORT]`, or http for localhost, where browsers allow passkeys. Otherwise returns nil.
    public init?(_ text: String) {
        guard let split = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<split.lowerBound]
        let authority = text[split.upperBound...]
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, Self.isHost(host) else { return nil }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else { return nil }
            // A default port is refused, because browsers omit it.
            if port == (scheme == "https" ? 443 : 80) { return nil }
        }
        switch scheme {
        case "https": isSecure = true
        case "http" where host == "localhost" || host.hasSuffix(".localhost"): isSecure = false
        default: return nil
        }
        (self.text, self.host, self.authority) = (text, String(host), String(authority))
    }

    /// Returns whether the host is a name in lower case. Passkeys do not work with addresses.
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
