import AgentSetup
import Glibc

/// Examines the machine without changing it.
struct SetupSurvey {
    /// The stacks that pam-auth-update writes, auth first.
    static let stacks = ["common-auth", "common-account", "common-password", "common-session"]

    let machine: SetupMachine

    /// Returns all facts. `siteServers` are the addresses from the administrator.
    func facts(siteServers: [String]) -> SetupFacts {
        var facts = SetupFacts()
        facts.siteServers = siteServers
        facts.siteDropIn = SetupStep.site.file.flatMap(machine.text)
        facts.siteRecord = SetupRecords(machine: machine).note(of: .site)
        facts.hasSystemd = machine.exists("/run/systemd/system")
        facts.adapters = machine.names(in: "/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
        lookAtSwitches(&facts)
        facts.bluetoothd = ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd"].first {
            access($0, X_OK) == 0
        }
        if let bluetoothd = facts.bluetoothd { facts.bluezVersion = version(of: bluetoothd) }
        facts.hasProfiles = SetupStep.profiles.allSatisfy { machine.exists("/usr/share/pam-configs/\($0)") }
        facts.knowsProfiles = (machine.text(of: "/var/lib/pam/seen") ?? "").split(separator: "\n").contains("boxagent")
        facts.hasModuleLine = Self.stacks.allSatisfy(hasModuleLine)
        facts.unfinished = SetupRecords(machine: machine).unfinished
        guard facts.hasSystemd else { return facts }
        facts.bluetooth = unit("bluetooth.service")
        facts.agent = unit("boxagentd.service")
        facts.console = unit("getty@tty1.service")
        facts.displayManager = displayManager
        facts.clockIsSynchronised = clockIsSynchronised
        return facts
    }

    func hasModuleLine(_ stack: String) -> Bool {
        (machine.text(of: "/etc/pam.d/" + stack) ?? "").split(separator: "\n").contains {
            !$0.hasPrefix("#") && $0.parts(around: "pam_boxagent.so") != nil
        }
    }

    private func lookAtSwitches(_ facts: inout SetupFacts) {
        for (name, directory) in switches {
            if word(directory + "/hard") == "1" { facts.isHardBlocked = true }
            if word(directory + "/soft") == "1" { facts.blockedSwitches.append(name) }
        }
    }

    /// Bluetooth's current switches: the adapter's name, and the directory in /sys.
    var switches: [(name: String, directory: String)] {
        machine.names(in: "/sys/class/rfkill").map { "/sys/class/rfkill/" + $0 }
            .filter { word($0 + "/type") == "bluetooth" }.map { (word($0 + "/name"), $0) }
    }

    private func word(_ path: String) -> String {
        String((machine.text(of: path) ?? "").prefix { $0 != "\n" })
    }

    private func version(of bluetoothd: String) -> String {
        let result = machine.run([bluetoothd], ["--version"])
        return result.succeeded ? String(result.output.prefix { !$0.isWhitespace }) : ""
    }

    private func unit(_ name: String) -> SetupFacts.Unit {
        let values = machine.properties(of: name, ["FragmentPath", "DropInPaths", "ActiveState", "UnitFileState"])
        return SetupFacts.Unit(
            file: values["FragmentPath"] ?? "",
            dropIns: (values["DropInPaths"] ?? "").split(separator: " ").map(String.init),
            isActive: values["ActiveState"] == "active", isEnabled: values["UnitFileState"] == "enabled")
    }

    private var displayManager: String? {
        let values = machine.properties(of: "display-manager.service", ["LoadState", "Id"])
        guard values["LoadState"] == "loaded", let name = values["Id"] else { return nil }
        return name
    }

    /// The state that systemd-timedated reports, also for chrony and ntpsec (systemd-timedated.service(8)).
    private var clockIsSynchronised: Bool? {
        let said = machine.run(["/usr/bin/timedatectl"], ["show", "--property=NTPSynchronized", "--value"])
        switch said.output.prefix(while: { !$0.isNewline }) {
        case "yes" where said.succeeded: return true
        case "no" where said.succeeded: return false
        default: return nil
        }
    }
}
