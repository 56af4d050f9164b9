/// One thing that `boxagent setup` does, and can take back. They are done in this order, and taken back in the other.
public enum SetupStep: String, Equatable, Sendable, CaseIterable {
    /// The agent and its sockets run, now and after a reboot.
    case agent
    /// The agent may reach the servers of the box's site.
    case site
    /// Bluetooth's software switch is on.
    case bluetoothSwitch = "bluetooth-switch"
    /// bluetoothd runs without the plugins that phones stumble over.
    case bluetoothd
    /// The module is in the common PAM stacks.
    case module
    /// The first console shows the box's digits.
    case console

    /// What it will do, for the person who is asked.
    public var sentence: String {
        switch self {
        case .agent: "start boxagentd, now and at each boot"
        case .bluetoothSwitch: "unblock Bluetooth, which is blocked by software (rfkill)"
        case .site: "let boxagentd reach the servers of its site, and nothing else on the network"
        case .bluetoothd:
            "start bluetoothd without the plugins that make phones ask to pair, and restart it if it crashes"
        case .module: "add pam_boxagent.so to the common PAM stacks (pam-auth-update)"
        case .console: "show the box ID on the first text console (boxlogin)"
        }
    }

    /// The file that it writes; nil for a step that writes none.
    public var file: String? {
        switch self {
        case .site: "/etc/systemd/system/boxagentd.service.d/site.conf"
        case .bluetoothd: "/etc/systemd/system/bluetooth.service.d/boxagent.conf"
        case .console: "/etc/systemd/system/getty@tty1.service.d/boxagent.conf"
        case .agent, .bluetoothSwitch, .module: nil
        }
    }

    /// The text of that file.
    public func text(_ facts: SetupFacts) -> String? {
        switch self {
        // One that was interrupted writes what it was about to write.
        case .site: facts.siteServers.isEmpty ? facts.siteRecord : UnitDropIns.site(facts.siteServers)
        case .bluetoothd: facts.bluetoothd.map(UnitDropIns.bluetoothd)
        case .console: UnitDropIns.console
        case .agent, .bluetoothSwitch, .module: nil
        }
    }

    public static let units = ["boxagentd-pam.socket", "boxagentd-control.socket", "boxagentd.service"]
    /// Names of the profiles in /usr/share/pam-configs.
    public static let profiles = ["boxagent", "boxagent-refused", "boxagent-verdict", "boxagent-session"]
}
