import CommandTool
import ControlProtocol
import TextOutput

/// Devices as a table, for a person who must confirm or choose.
enum DeviceTable {
    /// Returns the table. `width` is the width of the terminal on standard error, where the table is shown.
    static func lines(_ devices: [DeviceListing], width: Int? = Terminal().width(of: .error)) -> [String] {
        let head = ["DEVICE", "USER", "LABEL", "STATE", "ENROLLED", "LAST USED"]
        return DevicesCommand.table(head, devices, columns: width.map { $0 - 2 }).map { "  " + $0 }
    }
}
