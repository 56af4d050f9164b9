import VaultPort

/// What the administrator decides, read from a TOML file.
///
/// The defaults stand here and nowhere else; bounds and documentation stand in `ConfigurationKey.all`.
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

    /// `[box]`: where the agent keeps its things.
    public struct Box: Equatable, Sendable {
        /// Four to six ASCII digits; empty means those drawn at the first start.
        public var id = ""
        public var stateDirectory = "/var/lib/boxagent"
        public var runtimeDirectory = "/run/boxagent"
        /// Empty: none.
        public var issueFile = "/run/issue.d/boxagent.issue"
    }

    /// `[radio]`
    public struct Radio: Equatable, Sendable {
        public enum Kind: String, Equatable, Sendable, CaseIterable {
            /// What this machine has: Bluetooth. Without an adapter there is no radio, and status and doctor say so.
            case auto
            case bluez
            case loopback
        }
        public var kind = Kind.auto
        /// The radio that it comes to, as status and greeters name it.
        public var name: String { kind == .auto ? Kind.bluez.rawValue : kind.rawValue }
        /// For the loopback radio; empty means the directory `air` in the runtime directory.
        public var airDirectory = ""
        /// For BlueZ: "hci0"; empty means whichever there is.
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
        /// Which programs a tap serves.
        public var serve = Serve.seat
        /// Terminals besides those of seats at which people stand: "ttyS0".
        public var serialConsoles: [String] = []
        /// PAM services of the class `login`: nobody else is handed a credential.
        public var services = ["login", "lightdm", "gdm-password", "sddm", "greetd"]
        public var holdSeconds = 30
        public var longestWaitSeconds = 60
        public var verdictSeconds = 60
        /// Besides root: whose greeters may learn the box ID and who tapped. Debian's greetd runs its as this user.
        public var greeterUsers = ["_greetd"]
    }

    /// `[elevation]`
    public struct Elevation: Equatable, Sendable {
        /// PAM services for which the person is asked on the phone. Empty: none.
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
        /// Where the page is, for the code that opens it. Empty: it is not said.
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

    /// `[sessions]`: the commands that lock, unlock and end sessions. Empty: logind does it.
    public struct Sessions: Equatable, Sendable {
        public var lockCommand: [String] = []
        public var unlockCommand: [String] = []
        public var logoutCommand: [String] = []
        public var commandSeconds = 10
        /// The bus that logind is on, as a D-Bus address.
        public var bus = "unix:path=/run/dbus/system_bus_socket"
    }

    /// `[auto_logout]`: the bounds within which people choose from the phone, and what nobody chooses.
    public struct AutoLogout: Equatable, Sendable {
        /// For phones on which nothing was chosen yet; 0 is off.
        public var defaultSeconds = 0
        public var minimumSeconds = 60
        public var maximumSeconds = 28_800
        public var mayBeOff = true
        /// 0 is off, in this and the next.
        public var idleSeconds = 0
        public var longestSeconds = 0
        public var closingTimes: [String] = []
        public var extensionSeconds = 900
        public var extensionLimit = 3
    }

    /// `[presence]`: what follows when a phone goes.
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
        /// Empty: off.
        public var file = ""
    }
}

extension Configuration {
    /// Where a phone's loopback radio and ours meet.
    public var airDirectory: String {
        radio.airDirectory.isEmpty ? box.runtimeDirectory + "/air" : radio.airDirectory
    }
}
