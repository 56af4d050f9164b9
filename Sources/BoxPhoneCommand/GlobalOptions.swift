import ArgumentParser
import Glibc
import PhoneKit
import TransportLoopback

/// Options that every command takes.
struct GlobalOptions: ParsableArguments {
    enum Radio: String, ExpressibleByArgument, CaseIterable {
        case loopback
        case bluez
    }

    @Option(
        help: ArgumentHelp(
            "Where boxphone keeps the boxes it knows.",
            discussion: "Default: boxphone in $XDG_DATA_HOME, or in ~/.local/share."))
    var directory: String?

    @Option(help: "The radio: bluez, which is Bluetooth LE, or loopback, for boxes on this machine.")
    var radio = Radio.loopback

    @Option(help: "The Bluetooth adapter, such as hci0; without it, the first that is powered.")
    var adapter = ""

    @Option(help: ArgumentHelp("The D-Bus that bluetoothd is on.", visibility: .hidden))
    var bus = "unix:path=/run/dbus/system_bus_socket"

    @Option(help: "The loopback radio's directory, as in the agent's configuration.")
    var air = "/run/boxagent/air"

    enum Via: String, ExpressibleByArgument, CaseIterable {
        case auto
        case gatt
        case l2cap

        var preference: BearerPreference {
            switch self {
            case .auto: .automatic
            case .gatt: .gatt
            case .l2cap: .l2cap
            }
        }
    }

    @Option(help: "How to talk to a box: gatt, l2cap, or auto: L2CAP for more than 4 KiB, or where GATT is slow.")
    var via = Via.auto

    /// The vault's directory, from the option or the user's environment.
    func vaultDirectory() throws(Complaint) -> String {
        if let directory {
            guard !directory.isEmpty else { throw Complaint(.usage, "--directory is empty; name a directory") }
            return directory
        }
        if let data = Self.environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/boxphone" }
        if let home = Self.environment("HOME"), home.hasPrefix("/") { return home + "/.local/share/boxphone" }
        throw Complaint(.usage, "neither XDG_DATA_HOME nor HOME is set; say where with --directory DIR")
    }

    private static func environment(_ name: String) -> String? {
        // SAFETY: the string is copied at once; nothing in this single-threaded program changes the environment.
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }
}

/// Ways in which the loopback radio is made worse than it is, for tests; not shown in `--help`.
struct LoopbackOptions: ParsableArguments {
    @Option(name: .customLong("mtu"), help: .hidden)
    var attMTU = 185
    @Option(help: .hidden)
    var intervalMilliseconds = 0
    @Option(help: .hidden)
    var reorderSeed: UInt64?
    @Option(help: .hidden)
    var dropNotificationEvery: Int?
    @Option(help: .hidden)
    var loseLinkAfterPackets: Int?
    @Option(help: .hidden)
    var signalFile: String?

    func validate() throws {
        guard (23...517).contains(attMTU) else { throw ValidationError("--mtu is a number from 23 to 517") }
        guard (0...4_000).contains(intervalMilliseconds) else {
            throw ValidationError("--interval-milliseconds is a number from 0 to 4000")
        }
        for (name, value) in [
            ("--drop-notification-every", dropNotificationEvery), ("--lose-link-after-packets", loseLinkAfterPackets),
        ] {
            if let value, value < 1 { throw ValidationError("\(name) is a number from 1") }
        }
    }
}

extension LoopbackOptions {
    var conditions: LoopbackConditions {
        var conditions = LoopbackConditions()
        conditions.attMTU = attMTU
        conditions.connectionIntervalMilliseconds = intervalMilliseconds
        conditions.reorderSeed = reorderSeed
        conditions.dropNotificationEvery = dropNotificationEvery
        conditions.loseLinkAfterPackets = loseLinkAfterPackets
        conditions.signalFile = signalFile
        return conditions
    }
}
