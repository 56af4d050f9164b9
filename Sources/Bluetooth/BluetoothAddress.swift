import CBluetooth

/// A Bluetooth device address with its kind, as `AA:BB:CC:DD:EE:FF`.
public struct BluetoothAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address types for Bluetooth LE in l2cap(7).
    public enum Kind: Int32, Sendable {
        case `public` = 1
        case random = 2
    }

    public static let byteCount = 6
    /// Stands for any adapter.
    public static let any = BluetoothAddress(bytes: [UInt8](repeating: 0, count: byteCount), kind: .public)

    /// The bytes in printing order, the most significant first.
    let bytes: [UInt8]
    public let kind: Kind

    init(bytes: [UInt8], kind: Kind) {
        self.bytes = bytes
        self.kind = kind
    }

    /// The most adapters that are listed.
    private static let adapterLimit = 16

    /// Returns the addresses of this machine's adapters. An adapter that was just plugged in may be missing.
    public static func ofAdapters() -> [BluetoothAddress] {
        var bytes = [UInt8](repeating: 0, count: adapterLimit * byteCount)
        let count = Int(cbluetooth_hci_addresses(&bytes, Int32(adapterLimit)))
        return (0..<max(0, count)).map {
            BluetoothAddress(bytes: Array(bytes[$0 * byteCount..<($0 + 1) * byteCount]), kind: .public)
        }
    }

    /// Returns nil unless the text is six pairs of hexadecimal digits, separated by colons.
    public init?(_ text: String, _ kind: Kind) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            // UInt8(_:radix:) also accepts a sign.
            guard part.count == 2, part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-"),
                let byte = UInt8(Substring(part), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        self.init(bytes: bytes, kind: kind)
    }

    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
