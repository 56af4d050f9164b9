/// The address of a site's server, such as `192.0.2.10:4711` or `[2001:db8::10]:4711`. The address must be numeric,
/// because a login must not wait for a name lookup.
public struct SiteAddress: Sendable, Hashable {
    /// Longest address, in bytes.
    public static let byteLimit = 64

    /// The address as written, in ASCII.
    public let bytes: [UInt8]
    /// The host without brackets.
    public let host: String
    public let port: UInt16
    public let isIPv6: Bool

    /// Returns nil unless the bytes have an address's form, with a port from 1 to 65,535. The kernel checks the host.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit, let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = bytes[(colon + 1)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != 0x30,
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        var host = bytes[..<colon]
        isIPv6 = host.first == UInt8(ascii: "[")
        if isIPv6 {
            guard host.popLast() == UInt8(ascii: "]") else { return nil }
            host = host.dropFirst()
            guard !host.isEmpty, host.allSatisfy({ Self.isHexadecimal($0) || $0 == 0x3A || $0 == 0x2E }) else {
                return nil
            }
        } else {
            guard !host.isEmpty, host.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
        }
        self.bytes = bytes
        self.host = String(decoding: host, as: UTF8.self)
        self.port = port
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
