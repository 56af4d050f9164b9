/// A D-Bus address (D-Bus Specification, "Server Addresses") in the form that the configuration allows.
enum BusAddress {
    /// Returns the socket's path of `unix:path=/…`, or nil for any other kind of address.
    static func socketPath(_ address: String) -> String? {
        let start = "unix:path="
        guard address.hasPrefix(start), !address.contains(where: { ",;%".contains($0) }) else { return nil }
        return String(address.dropFirst(start.count))
    }
}
