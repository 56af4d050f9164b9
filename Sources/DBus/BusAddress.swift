/// A D-Bus address (D-Bus Specification, "Server Addresses"), as far as configuration allows it.
enum BusAddress {
    /// The socket's path in `unix:path=/…`; nil for every other kind of address.
    static func socketPath(_ address: String) -> String? {
        let start = "unix:path="
        guard address.hasPrefix(start), !address.contains(where: { ",;%".contains($0) }) else { return nil }
        return String(address.dropFirst(start.count))
    }
}
