import VaultPort

/// The settings of the administrator, read from a TOML file.
///
/// Only this type defines the defaults. `ConfigurationKey.all` defines bounds and documentation.
public struct Configuration: Equatable, Sendable {
    public var box = Box()
    public var radio = Radio()
    public var login = Login()
    public var elevation = Elevation()
    public var enrolment = Enrolment()
    public var pin = PIN()
    public var sessions = Sessions()
    public var autoLogout = AutoLogout()
    public var presence = Presence()
    public var limits = Limits()
    public var metrics = Metrics()

    public init() {}

    /// `[box]`: the box ID and the places of the agent's files.
    public struct Box: Equatable, Sendable {
        /// Four to six ASCII digits. If empty, the digits drawn at the first start apply.
        public var id = ""
        public var stateDirectory = "/var/lib/boxagent"
        public var runtimeDirectory = "/run/boxagent"
        /// If empty, the agent writes no such file.
        public var issueFile = "/run/issue.d/boxagent.issue"
    }

    /// `[radio]`
    public struct Radio: Equatable, Sendable {
        public enum Kind: String, Equatable, Sendable, CaseIterable {
            /// Uses Bluetooth. Without an adapter, the agent has no radio, and status and doctor report that.
            case auto
            case bluez
            case loopback
        }
        public var kind = Kind.auto
        /// The radio in use, as status and greeters name it.
        public var name: String { kind == .auto ? Kind.bluez.rawValue : kind.rawValue }
        /// For the loopback radio. If empty, the directory is `air` in the runtime directory.
        public var airDirectory = ""
        /// For BlueZ, such as "hci0". If empty, any adapter is used.
        public var adapter = ""
        public var requireLinkEncryption = false
        public var bus = "unix:path=/run/dbus/system_bus_socket"
    }

    /// `[login]`
    public struct Login: Equatable, Sendable {
        public enum Serve: String, Equatable, Sendable, CaseIterable {
            case seat
            case own
        }
        /// The programs that a tap serves.
        public var serve = Serve.seat
        /// Terminals such as "ttyS0" at which people log in, besides those of seats.
        public var serialConsoles: [String] = []
        /// The PAM services of the class `login`. Other services get no credential for a login.
        public var services = ["login", "lightdm", "gdm-password", "sddm", "greetd"]
        public var holdSeconds = 30
        public var longestWaitSeconds = 60
        public var verdictSeconds = 60
        /// Users besides root whose greeters may learn the box ID and who tapped. Debian's greetd runs its greeter as
        /// `_greetd`.
        public var greeterUsers = ["_greetd"]
    }

    /// `[elevation]`
    public struct Elevation: Equatable, Sendable {
        /// PAM services whose password requests the user allows on the phone. If empty, there are none.
        public var services: [String] = []
        public var waitSeconds = 30
    }

    /// `[enrolment]`
    public struct Enrolment: Equatable, Sendable {
        public var codeMinutes = 10
        public var attemptsPerSecond = 5
        public var minimumUserID = 1000
        public var allowSystemUsers = false
        public var requireKnownUser = true
        public var allowWeb = true
        /// The address of the web phone, shown with a code for it. If empty, no address is shown.
        public var webPage = ""
    }

    /// `[pin]`: for credentials that the box holds.
    public struct PIN: Equatable, Sendable {
        public var attempts = AttemptPolicy.limits.upperBound
        public var delays = false
        public var hashMilliseconds = 250

        public var attemptPolicy: AttemptPolicy {
            AttemptPolicy(limit: attempts, delays: delays ? .growing : .none)
        }
    }

    /// `[sessions]`: the commands that lock, unlock and end sessions. If empty, logind does it.
    public struct Sessions: Equatable, Sendable {
        public var lockCommand: [String] = []
        public var unlockCommand: [String] = []
        public var logoutCommand: [String] = []
        public var commandSeconds = 10
        /// The D-Bus address of logind's bus.
        public var bus = "unix:path=/run/dbus/system_bus_socket"
    }

    /// `[auto_logout]`: the bounds of the times that users choose on the phone, and the limits that they cannot change.
    public struct AutoLogout: Equatable, Sendable {
        /// For phones without a choice of their own. 0 is off.
        public var defaultSeconds = 0
        public var minimumSeconds = 60
        public var maximumSeconds = 28_800
        public var mayBeOff = true
        /// 0 is off, also for `longestSeconds`.
        public var idleSeconds = 0
        public var longestSeconds = 0
        public var closingTimes: [String] = []
        public var extensionSeconds = 900
        public var extensionLimit = 3
    }

    /// `[presence]`: when a phone counts as near or away, and the effects of that.
    public struct Presence: Equatable, Sendable {
        public enum LockFailure: String, Equatable, Sendable, CaseIterable {
            case report
            case terminate
        }
        public var enabled = true
        public var nearDBm = -60
        public var farDBm = -80
        public var weakSeconds = 5
        public var lostSeconds = 15
        public var nearSeconds = 3
        public var requirePhone = false
        public var mayCalibrate = true
        public var onLockFailure = LockFailure.report
    }

    /// `[limits]`
    public struct Limits: Equatable, Sendable {
        public var halfOpenLinks = 8
        public var links = 32
        public var pamClients = 16
        public var controlClients = 16
    }

    /// `[metrics]`
    public struct Metrics: Equatable, Sendable {
        /// The path of the metrics file. If empty, metrics are off.
        public var file = ""
    }
}

extension Configuration {
    /// The directory in which the loopback radios of box and phone meet.
    public var airDirectory: String {
        radio.airDirectory.isEmpty ? box.runtimeDirectory + "/air" : radio.airDirectory
    }
}
