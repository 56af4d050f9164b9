import CTCP

/// A numeric TCP address and port. It never looks up a name.
public struct TCPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 bytes of IPv4 or 16 of IPv6, big-endian.
    let bytes: [UInt8]
    /// For a listener, 0 lets the kernel choose.
    public let port: UInt16

    /// Returns nil unless `host` is a numeric IPv4 or IPv6 address (inet_pton(3)), without brackets and zone.
    public init?(host: String, port: UInt16) {
        guard !host.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: CTCP_ADDRESS_BYTES)
        let count = Int(ctcp_parse(host, &bytes))
        guard count > 0 else { return nil }
        self.init(bytes: [UInt8](bytes.prefix(count)), port: port)
    }

    private init(bytes: [UInt8], port: UInt16) {
        self.bytes = bytes
        self.port = port
    }

    public enum End: Int32, Sendable {
        case ours = 0
        case peer = 1
    }

    /// Returns nil if the socket has no such address because its other end is gone.
    init?(_ end: End, of descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: CTCP_ADDRESS_BYTES)
        var port: UInt16 = 0
        let count = Int(ctcp_name(descriptor, end.rawValue, &bytes, &port))
        guard count > 0 else { return nil }
        self.init(bytes: [UInt8](bytes.prefix(count)), port: port)
    }

    public var isIPv6: Bool { bytes.count != 4 }

    /// The address without the port, in its shortest form: `192.0.2.1`, `2001:db8::1`.
    public var host: String {
        var text = [CChar](repeating: 0, count: CTCP_TEXT_BYTES)
        guard ctcp_format(bytes, Int32(bytes.count), &text) == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A network that one customer has whole: an IPv4 address, or the /64 of an IPv6 address (`2001:db8::/64`).
    public var network: String {
        guard isIPv6 else { return host }
        // An IPv4 address in IPv6 (RFC 4291 section 2.5.5.2).
        if bytes.prefix(12) == [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] {
            return TCPAddress(bytes: Array(bytes.suffix(4)), port: port).host
        }
        return TCPAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8), port: port).host + "/64"
    }

    /// `192.0.2.1:4711` or `[::1]:4711`.
    public var text: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
    public var description: String { text }
}
