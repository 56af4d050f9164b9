/// The addresses of a site's servers, 1 to 4. Layout: count (1) ‖ for each its length (1) and the address.
public enum SiteAddressList {
    public static let limit = 4

    /// Returns nil for any other layout or count.
    static func read(_ bytes: [UInt8]) -> [SiteAddress]? {
        guard let count = bytes.first, (1...limit).contains(Int(count)) else { return nil }
        var rest = bytes.dropFirst()
        var addresses: [SiteAddress] = []
        for _ in 0..<count {
            guard let length = rest.popFirst(), rest.count >= length,
                let address = SiteAddress([UInt8](rest.prefix(Int(length))))
            else { return nil }
            addresses.append(address)
            rest = rest.dropFirst(Int(length))
        }
        return rest.isEmpty ? addresses : nil
    }

    static func bytes(_ addresses: [SiteAddress]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: addresses.count)]
            + addresses.flatMap { [UInt8(truncatingIfNeeded: $0.bytes.count)] + $0.bytes }
    }
}
