/// The findings of `boxagent setup` on the machine to set up.
public struct SetupFacts: Equatable, Sendable {
    /// A systemd unit, as `systemctl show` describes it.
    public struct Unit: Equatable, Sendable {
        /// FragmentPath; empty if the unit does not exist.
        public var file = ""
        /// DropInPaths.
        public var dropIns: [String] = []
        /// True if ActiveState is "active".
        public var isActive = false
        /// True if UnitFileState is "enabled".
        public var isEnabled = false

        public init(file: String = "", dropIns: [String] = [], isActive: Bool = false, isEnabled: Bool = false) {
            (self.file, self.dropIns, self.isActive, self.isEnabled) = (file, dropIns, isActive, isEnabled)
        }

        public var exists: Bool { !file.isEmpty }
        /// True if the unit has files in the administrators' directory, which packages do not use (systemd.unit(5)).
        public var isAdministrators: Bool { file.hasPrefix("/etc/") || dropIns.contains { $0.hasPrefix("/etc/") } }
    }

    /// True if systemd runs this machine (sd_booted(3)).
    public var hasSystemd = false
    /// Adapters in /sys/class/bluetooth, such as `hci0`.
    public var adapters: [String] = []
    /// Names of the adapters that a software switch blocks (rfkill(8), "Soft blocked"). The switches' numbers are not
    /// used: the kernel renumbers them after a reboot, and Wi-Fi switches are among them.
    public var blockedSwitches: [String] = []
    /// True if a switch on the machine itself blocks Bluetooth.
    public var isHardBlocked = false
    /// The path of bluetoothd; nil if BlueZ is not installed.
    public var bluetoothd: String?
    /// For example "5.66"; empty if unknown.
    public var bluezVersion = ""
    public var bluetooth = Unit()
    public var agent = Unit()
    public var console = Unit()
    /// The unit that display-manager.service refers to, such as "lightdm.service"; nil if there is none.
    public var displayManager: String?
    /// True if the profiles of libpam-boxagent are installed.
    public var hasProfiles = false
    /// True if pam-auth-update already knows the profiles. Then an administrator has removed any missing lines on
    /// purpose.
    public var knowsProfiles = false
    /// True if each common stack in /etc/pam.d has a line with pam_boxagent.so.
    public var hasModuleLine = false
    /// Steps that began but did not finish. The machine's state does not change this set.
    public var unfinished: Set<SetupStep> = []
    /// The addresses of the site's servers from the administrator; empty if no site was requested.
    public var siteServers: [String] = []
    /// The text of the drop-in that allows the agent to reach the site's servers; nil if there is none.
    public var siteDropIn: String?
    /// The drop-in's text that an earlier run wrote or was about to write; nil if there was no such run.
    public var siteRecord: String?
    /// True if a time server synchronises the system's clock; nil if unknown.
    public var clockIsSynchronised: Bool?

    public init() {}
}
