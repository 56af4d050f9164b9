/// The steps of `boxagent setup` on a machine. Pure: makes steps and remarks from facts.
public struct SetupPlan: Equatable, Sendable {
    /// A fact that the user should know, and what to do about it.
    public struct Remark: Equatable, Sendable {
        public let text: String
        public let cure: String

        init(_ text: String, cure: String) {
            (self.text, self.cure) = (text, cure)
        }
    }

    /// The oldest BlueZ that was tested on boxes (docs/reference/bluetooth.md, "What a box needs").
    static let oldestBlueZ = (5, 66)

    public private(set) var steps: [SetupStep] = []
    public private(set) var remarks: [Remark] = []

    public init(_ facts: SetupFacts) {
        guard facts.hasSystemd else {
            remark(
                "systemd does not run this machine, so nothing is set up",
                cure: "follow /usr/share/doc/boxagent/how-to/run-boxes.md; 'boxagent doctor' shows what is missing")
            return
        }
        planAgent(facts)
        planSite(facts)
        planBluetooth(facts)
        planModule(facts)
        planConsole(facts)
        if facts.clockIsSynchronised == false {
            remark(
                "no time server keeps the clock right, so times in the audit log may be wrong",
                cure: "timedatectl set-ntp true")
        }
    }

    private mutating func planAgent(_ facts: SetupFacts) {
        guard facts.agent.exists else {
            return remark("boxagentd.service is not installed", cure: "apt install boxagent")
        }
        if !facts.agent.isActive || !facts.agent.isEnabled || facts.unfinished.contains(.agent) { steps.append(.agent) }
    }

    /// Plans the step only on request, because the administrator chooses the addresses.
    private mutating func planSite(_ facts: SetupFacts) {
        if facts.unfinished.contains(.site) { return steps.append(.site) }
        guard !facts.siteServers.isEmpty, facts.agent.exists, facts.siteDropIn != SetupStep.site.text(facts) else {
            return
        }
        guard facts.siteDropIn == nil || facts.siteDropIn == facts.siteRecord else {
            return remark(
                "\(SetupStep.site.file ?? "") was not written by 'boxagent setup', so it stays unchanged",
                cure: "add the servers to its IPAddressAllow=, or remove it and run this again")
        }
        steps.append(.site)
    }

    private mutating func planBluetooth(_ facts: SetupFacts) {
        if facts.isHardBlocked {
            remark(
                "a switch or key of this machine has turned Bluetooth off",
                cure: "turn it on there; software cannot (rfkill)")
        }
        if !facts.blockedSwitches.isEmpty || facts.unfinished.contains(.bluetoothSwitch) {
            steps.append(.bluetoothSwitch)
        }
        guard facts.bluetoothd != nil else {
            return remark(
                "BlueZ is not installed, so no phone can reach this box", cure: "apt install bluez, then run this again"
            )
        }
        if facts.adapters.isEmpty {
            remark(
                "there is no Bluetooth adapter; boxagentd uses one as soon as it is plugged in",
                cure: "plug in an adapter with Bluetooth LE")
        }
        if let version = Self.version(facts.bluezVersion), version < Self.oldestBlueZ {
            remark(
                "BlueZ \(facts.bluezVersion) is older than 5.66, the oldest version that was tested",
                cure: "if phones do not find the box, upgrade bluez")
        }
        plan(.bluetoothd, facts.bluetooth, "bluetooth.service", facts)
    }

    private mutating func planModule(_ facts: SetupFacts) {
        if facts.unfinished.contains(.module) { return steps.append(.module) }
        if facts.hasModuleLine { return }
        guard facts.hasProfiles else {
            return remark(
                "the PAM module is not installed, so no login asks for a tap", cure: "apt install libpam-boxagent")
        }
        guard !facts.knowsProfiles else {
            return remark(
                "pam_boxagent.so is not in all common PAM stacks: its profiles were deselected, or the stacks were edited by "
                    + "hand; they stay unchanged",
                cure: "pam-auth-update --enable \(SetupStep.profiles.joined(separator: " "))")
        }
        steps.append(.module)
    }

    private mutating func planConsole(_ facts: SetupFacts) {
        // A display manager owns the first login screen; with LightDM, a tap waits until the user is chosen.
        if facts.displayManager != nil { return }
        guard facts.console.exists else {
            return remark(
                "there is no getty on the first console",
                cure: "see /usr/share/doc/boxagent/how-to/greeters.md for other ways to show the box ID")
        }
        plan(.console, facts.console, "getty@tty1.service", facts)
    }

    /// Plans a drop-in for a unit, unless an administrator has changed the unit.
    private mutating func plan(_ step: SetupStep, _ unit: SetupFacts.Unit, _ name: String, _ facts: SetupFacts) {
        if facts.unfinished.contains(step) { return steps.append(step) }
        guard let file = step.file, !unit.dropIns.contains(file) else { return }
        if unit.isAdministrators {
            remark(
                "\(name) was changed on this machine, so it stays unchanged",
                cure: "compare with the examples in /usr/share/doc/boxagent/examples")
        } else {
            steps.append(step)
        }
    }

    private mutating func remark(_ text: String, cure: String) {
        remarks.append(Remark(text, cure: cure))
    }

    /// Returns "5.66" as numbers; nil for any other text.
    static func version(_ text: String) -> (Int, Int)? {
        let parts = text.split(separator: ".")
        guard parts.count >= 2, let major = Int(parts[0]), let minor = Int(parts[1]) else { return nil }
        return (major, minor)
    }
}
