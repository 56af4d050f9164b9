import CLinux

/// What the kernel says of a network card.
public enum NetworkCard {
    private static let addressBytes = 6

    /// Returns the address that the maker gave the card, as hexadecimal digits with colons. Returns nil if there is no such card, or
    /// the kernel knows no such address (ETHTOOL_GPERMADDR of <linux/ethtool.h>, which needs no privilege).
    public static func permanentAddress(of name: String) -> String? {
        var address = [UInt8](repeating: 0, count: addressBytes)
        guard clinux_permanent_address(name, &address) == 0, address.contains(where: { $0 != 0 }) else { return nil }
        return address.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
