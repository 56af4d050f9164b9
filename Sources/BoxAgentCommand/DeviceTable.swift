import CommandTool
import ControlProtocol
import TextOutput

/// Devices as somebody needs them who is to say yes, or to choose one.
enum DeviceTable {
    /// `width`: the columns of the terminal behind standard error, where they are shown.
    static func lines(_ devices: [DeviceListing], width: Int? = Terminal().width(of: .error)) -> [String] {
        let head = ["DEVICE", "USER", "LABEL", "STATE", "ENROLLED", "LAST USED"]
        return DevicesCommand.table(head, devices, columns: width.map { $0 - 2 }).map { "  " + $0 }
    }
}
