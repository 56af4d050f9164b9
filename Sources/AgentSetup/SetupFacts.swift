/// What `boxagent setup` has found on the machine that it shall set up.
public struct SetupFacts: Equatable, Sendable {
    /// A unit of systemd's, as `systemctl show` tells of it.
    public struct Unit: Equatable, Sendable {
        /// FragmentPath; empty for a unit that does not exist.
        public var file = ""
        /// DropInPaths.
        public var dropIns: [String] = []
        /// ActiveState is "active".
        public var isActive = false
        /// UnitFileState is "enabled".
        public var isEnabled = false

        public init(file: String = "", dropIns: [String] = [], isActive: Bool = false, isEnabled: Bool = false) {
            (self.file, self.dropIns, self.isActive, self.isEnabled) = (file, dropIns, isActive, isEnabled)
        }

        public var exists: Bool { !file.isEmpty }
        /// Where administrators put what is theirs (systemd.unit(5)); packages do not.
        public var isAdministrators: Bool { file.hasPrefix("/etc/") || dropIns.contains { $0.hasPrefix("/etc/") } }
    }

    /// systemd runs this machine (sd_booted(3)).
    public var hasSystemd = false
    /// `hci0`, …: what the kernel has in /sys/class/bluetooth.
    public var adapters: [String] = []
    /// Adapters whose software switch is off, by their names (rfkill(8), "Soft blocked"). The kernel numbers the switches anew
    /// after a reboot, and Wi-Fi's are among them.
    public var blockedSwitches: [String] = []
    /// A switch on the machine itself holds Bluetooth off.
    public var isHardBlocked = false
    /// The path of bluetoothd; nil where BlueZ is not installed.
    public var bluetoothd: String?
    /// Such as "5.66"; empty where it cannot be told.
    public var bluezVersion = ""
    public var bluetooth = Unit()
    public var agent = Unit()
    public var console = Unit()
    /// The unit behind display-manager.service, such as "lightdm.service"; nil without one.
    public var displayManager: String?
    /// The profiles of libpam-boxagent are there.
    public var hasProfiles = false
    /// pam-auth-update has been asked about them before: lines that are not there were taken out by somebody.
    public var knowsProfiles = false
    /// Each of the common stacks in /etc/pam.d has a line of pam_boxagent.so.
    public var hasModuleLine = false
    /// Steps that began and did not come to their end, whatever became of the machine meanwhile.
    public var unfinished: Set<SetupStep> = []
    /// The addresses of the site's servers, as the administrator names them; empty where nobody asks for a site.
    public var siteServers: [String] = []
    /// The text of the drop-in that lets the agent reach them; nil without one.
    public var siteDropIn: String?
    /// What an earlier run has written there, or was about to; nil where none has.
    public var siteRecord: String?
    /// The system's clock is kept right by a time server; nil where nobody says.
    public var clockIsSynchronised: Bool?

    public init() {}
}
