import DBus
import EventLoop
import Links

/// Describes faults of Bluetooth on this machine, with the cure.
enum AdapterFault {
    static func absence(_ absence: ServiceAbsence) -> RadioFault {
        switch absence {
        case .noBus(let why):
            RadioFault(
                "the system bus cannot be used (\(why))",
                cure: "start it and the services that stopped with it: systemctl start dbus systemd-logind bluetooth")
        case .noService:
            RadioFault("bluetoothd is not running", cure: "start it: systemctl enable --now bluetooth")
        }
    }

    static func missing(_ name: String) -> RadioFault {
        name.isEmpty
            ? RadioFault(
                "there is no Bluetooth adapter: none is plugged in, its driver or firmware is missing, or another "
                    + "program has taken it", cure: "check with 'bluetoothctl list' and 'dmesg'")
            : RadioFault(
                "there is no Bluetooth adapter \(name): it is unplugged, or another program has taken it",
                cure: "plug it in, or set radio.adapter to one that 'bluetoothctl list' shows")
    }

    static func off(_ adapter: Adapter) -> RadioFault {
        switch RFKill.block(of: adapter.name) {
        case .hard:
            RadioFault(
                "the Bluetooth adapter \(adapter.name) is blocked by a switch of the machine",
                cure: "turn on wireless at its switch or key")
        case .soft:
            RadioFault(
                "the Bluetooth adapter \(adapter.name) is blocked by rfkill", cure: "run: rfkill unblock bluetooth")
        case .none:
            RadioFault(
                "the Bluetooth adapter \(adapter.name) is powered off",
                cure: "run: bluetoothctl power on (and AutoEnable=true in /etc/bluetooth/main.conf keeps it on)")
        }
    }

    static func cannotServe(_ adapter: Adapter) -> RadioFault {
        RadioFault(
            "the Bluetooth adapter \(adapter.name) does not offer a GATT server and advertising",
            cure: "use an adapter with Bluetooth LE 4.0 or later and the peripheral role")
    }

    static func registration(_ adapter: Adapter, _ what: String, _ error: String, slotsTaken: Bool) -> RadioFault {
        slotsTaken
            ? RadioFault(
                "other programs use every advertising slot of the Bluetooth adapter \(adapter.name)",
                cure: "end one of them (bluetoothctl advertise off), or give boxagent an adapter of its own")
            : RadioFault(
                "bluetoothd refuses \(what) on \(adapter.name): \(error)",
                cure: "see journalctl -u bluetooth; boxagentd keeps trying")
    }
}

/// The kernel's radio switches (Documentation/ABI/stable/sysfs-class-rfkill).
enum RFKill {
    enum Block { case soft, hard }

    private static let directory = "/sys/class/rfkill"
    private static let switchLimit = 64

    static func block(of adapter: String) -> Block? {
        for name in Directories.names(in: directory, limit: switchLimit) {
            let path = directory + "/" + name
            guard Directories.firstLine(of: path + "/name") == adapter else { continue }
            if Directories.firstLine(of: path + "/hard") == "1" { return .hard }
            if Directories.firstLine(of: path + "/soft") == "1" { return .soft }
        }
        return nil
    }
}
