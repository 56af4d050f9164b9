import Glibc

/// The network of a client: an IPv4 address, or the first 64 bits of an IPv6 address, which one customer has whole.
public struct ClientNetwork: Hashable, Sendable {
    private let prefix: UInt64
    private let isIPv4: Bool

    /// Reads an address in a proxy's header. Returns nil if the text is not an address.
    public init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        var word = UInt32(0)
        // SAFETY: inet_pton(3) writes 4 bytes of network order for AF_INET, which `word` has.
        if unsafe inet_pton(AF_INET, text, &word) == 1 {
            (prefix, isIPv4) = (UInt64(UInt32(bigEndian: word)), true)
            return
        }
        var words = (UInt64(0), UInt64(0))
        // SAFETY: inet_pton(3) writes 16 bytes of network order for AF_INET6, which `words` has.
        guard unsafe inet_pton(AF_INET6, text, &words) == 1 else { return nil }
        let (first, second) = (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
        // An IPv4 address in IPv6 (RFC 4291 section 2.5.5.2).
        isIPv4 = first == 0 && second >> 32 == 0xFFFF
        prefix = isIPv4 ? second & 0xFFFF_FFFF : first
    }
}
