import CommandTool
import ControlProtocol
import TextOutput

/// Devices as somebody needs them who is to say yes, or to choose one: named in full.
enum DeviceTable {
    static func lines(_ devices: [DeviceListing]) -> [String] {
        TextTable.lines([["DEVICE", "USER", "LABEL", "ENROLLED", "LAST USED", "STATE"]] + devices.map(row))
            .map { "  " + $0 }
    }

    private static func row(_ device: DeviceListing) -> [String] {
        [
            Printable.text(device.id), Printable.text(device.user),
            device.label.isEmpty ? "-" : Printable.text(device.label), Timestamp.local(device.enrolledUnixSeconds),
            device.lastUsedUnixSeconds.map(Timestamp.local) ?? "never",
            DevicesCommand.state(device),
        ]
    }
}
