/// One step of `boxagent setup`, which can be undone. Steps run in this order, and are undone in reverse.
public enum SetupStep: String, Equatable, Sendable, CaseIterable {
    /// Run the agent and its sockets, now and after each reboot.
    case agent
    /// Allow the agent to reach the servers of the box's site.
    case site
    /// Turn on Bluetooth's software switch.
    case bluetoothSwitch = "bluetooth-switch"
    /// Run bluetoothd without the plugins that confuse phones.
    case bluetoothd
    /// Add the module to the common PAM stacks.
    case module
    /// Show the box's digits on the first console.
    case console

    /// Describes the step for the person who must confirm it.
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

    /// The file that the step writes; nil if it writes none.
    public var file: String? {
        switch self {
        case .site: "/etc/systemd/system/boxagentd.service.d/site.conf"
        case .bluetoothd: "/etc/systemd/system/bluetooth.service.d/boxagent.conf"
        case .console: "/etc/systemd/system/getty@tty1.service.d/boxagent.conf"
        case .agent, .bluetoothSwitch, .module: nil
        }
    }

    /// Returns the text of `file`.
    public func text(_ facts: SetupFacts) -> String? {
        switch self {
        // An interrupted step writes the recorded text.
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
