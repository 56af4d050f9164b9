/// The GATT table. It is frozen, because phones cache it for days: versions are told apart inside the protocol.
public enum GATTService {
    public static let uuid = "bf52e2d6-ff52-43cb-99a0-872fa3dde94f"
    /// Read: protocol version, flags, box certificate, authority key id.
    public static let identityCharacteristic = "f438775d-e605-42b8-abe7-6e31ed52ea87"
    /// Write command from the phone, notification from the box: segments, see docs/reference/segmentation.md.
    public static let transferCharacteristic = "a82ae020-e171-42f8-a31c-5f612926f041"
    /// Read: the PSM of the L2CAP channel, little-endian. This UUID is the one CoreBluetooth uses for it.
    public static let psmCharacteristic = "abdd3056-28fa-441d-a470-55a75a52553a"

    /// ATT MTU, in bytes: the least of Bluetooth LE (Core Specification, volume 3, part G, 5.2.1), and the most that
    /// BlueZ negotiates.
    public static let attMTUBytes = 23...517
    /// PSMs that are assigned as they are needed (volume 3, part A, 4.22); the box's channel has one of them.
    public static let dynamicPSMs: ClosedRange<UInt16> = 0x0080...0x00FF
    /// A characteristic's value is at most this long (volume 3, part F, 3.2.9).
    public static let valueBytes = 512
}
