import CLinux

/// Facts about a network card from the kernel.
public enum NetworkCard {
    private static let addressBytes = 6

    /// Returns the address that the maker gave the card, as hexadecimal digits with colons. Returns nil if there is no
    /// such card, or if the kernel does not know the address (ETHTOOL_GPERMADDR of <linux/ethtool.h>, which needs no
    /// privilege).
    public static func permanentAddress(of name: String) -> String? {
        var address = [UInt8](repeating: 0, count: addressBytes)
        guard clinux_permanent_address(name, &address) == 0, address.contains(where: { $0 != 0 }) else { return nil }
        return address.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
