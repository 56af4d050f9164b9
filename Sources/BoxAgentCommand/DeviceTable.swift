import CommandTool
import ControlProtocol
import TextOutput

/// Devices as somebody needs them who is to say yes, or to choose one: named in full.
enum DeviceTable {
    /// `width`: the columns of the terminal behind standard error, where they are shown.
    static func lines(_ devices: [DeviceListing], width: Int? = Terminal().width(of: .error)) -> [String] {
        let rows = [["DEVICE", "USER", "LABEL", "ENROLLED", "LAST USED", "STATE"]] + devices.map(row)
        return TextTable.lines(rows, width: width.map { $0 - 2 }).map { "  " + $0 }
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
