import ArgumentParser
import TransportLoopback

/// The options of every command. Missing options come from the environment, the user's file, or a default.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: "The directory of this phone's keys and boxes. Default: boxphone in $XDG_DATA_HOME, or in ~/.local/share."
    )
    var directory: String?

    @Option(
        help: """
            The radio: bluez (default) is Bluetooth LE through the daemon bluetoothd(8). loopback is for tests on this \
            machine.
            """)
    var radio: PhoneSettings.Radio?

    @Option(help: "The Bluetooth adapter, such as hci0. The default is the first that is powered.")
    var adapter: String?

    @Option(help: ArgumentHelp("The D-Bus that bluetoothd is on.", visibility: .hidden))
    var bus = "unix:path=/run/dbus/system_bus_socket"

    @Option(
        help: ArgumentHelp(
            """
            The loopback radio's directory, as in boxagent.toml(5). This option selects that radio. Default: \
            \(PhoneSettings.defaultAir).
            """, valueName: "directory"))
    var air: String?

    @Option(
        help: ArgumentHelp(
            """
            How to talk to a box: gatt, which every box supports, l2cap, or auto (default). auto uses L2CAP for more \
            than 4 KiB, or if GATT has proved slow. If a box has no L2CAP channel, boxphone uses GATT and says so.
            """, valueName: "bearer"))
    var via: PhoneSettings.Via?

    /// Returns the settings for this run.
    func settings() throws(Complaint) -> PhoneSettings {
        var settings = try PhoneEnvironment.current.settings()
        if let directory {
            guard !directory.isEmpty else { throw Complaint(.usage, "--directory is empty; name a directory") }
            settings.directory = directory
        }
        settings.radio = radio ?? settings.radio
        settings.adapter = adapter ?? settings.adapter
        settings.air = air ?? settings.air
        settings.via = via ?? settings.via
        return settings
    }
}

/// The options of every command whose output scripts read.
struct ListingOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line, with keys in snake_case.")
    var json = false
}

extension PhoneSettings.Radio: ExpressibleByArgument {}
extension PhoneSettings.Via: ExpressibleByArgument {}

/// Faults of the loopback radio for tests; not shown in `--help`.
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
        guard (23...517).contains(attMTU) else { throw ValidationError("--mtu takes a whole number from 23 to 517") }
        guard (0...4_000).contains(intervalMilliseconds) else {
            throw ValidationError("--interval-milliseconds takes a whole number from 0 to 4000")
        }
        for (name, value) in [
            ("--drop-notification-every", dropNotificationEvery), ("--lose-link-after-packets", loseLinkAfterPackets),
        ] {
            if let value, value < 1 { throw ValidationError("\(name) takes a whole number from 1") }
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
