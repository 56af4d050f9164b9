/// The GATT table. It never changes, because phones cache it for days. The protocol inside has its own versions.
public enum GATTService {
    public static let uuid = "bf52e2d6-ff52-43cb-99a0-872fa3dde94f"
    /// Readable: protocol version, flags, box certificate, authority key id.
    public static let identityCharacteristic = "f438775d-e605-42b8-abe7-6e31ed52ea87"
    /// Write command from the phone, notification from the box. Carries segments, see docs/reference/segmentation.md.
    public static let transferCharacteristic = "a82ae020-e171-42f8-a31c-5f612926f041"
    /// Readable: the PSM of the L2CAP channel, little-endian. CoreBluetooth uses the same UUID.
    public static let psmCharacteristic = "abdd3056-28fa-441d-a470-55a75a52553a"

    /// The ATT MTU in bytes, from the minimum (Core Specification, volume 3, part G, 5.2.1) to BlueZ's maximum.
    public static let attMTUBytes = 23...517
    /// The dynamic PSMs (volume 3, part A, 4.22). The box's channel has one of them.
    public static let dynamicPSMs: ClosedRange<UInt16> = 0x0080...0x00FF
    /// The longest value of a characteristic (volume 3, part F, 3.2.9).
    public static let valueBytes = 512
}
