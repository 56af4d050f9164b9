import Testing

@testable import AgentSetup

@Suite("What 'boxagent setup' does on which machine")
struct SetupPlanTests {
    /// A Debian without a display manager. The packages are installed and have put the module into the stacks.
    private var fresh: SetupFacts {
        var facts = SetupFacts()
        facts.hasSystemd = true
        facts.adapters = ["hci0"]
        facts.bluetoothd = "/usr/libexec/bluetooth/bluetoothd"
        facts.bluezVersion = "5.66"
        facts.bluetooth = .init(file: "/lib/systemd/system/bluetooth.service", isActive: true, isEnabled: true)
        facts.agent = .init(file: "/lib/systemd/system/boxagentd.service", isActive: true, isEnabled: true)
        facts.console = .init(file: "/lib/systemd/system/getty@.service", isActive: true, isEnabled: true)
        facts.hasProfiles = true
        facts.hasModuleLine = true
        facts.clockIsSynchronised = true
        return facts
    }

    private func plan(_ change: (inout SetupFacts) -> Void) -> SetupPlan {
        var facts = fresh
        change(&facts)
        return SetupPlan(facts)
    }

    @Test("A fresh machine gets bluetoothd's drop-in and the greeter on its console, and no remark")
    func freshMachine() {
        let plan = SetupPlan(fresh)
        #expect(plan.steps == [.bluetoothd, .console])
        #expect(plan.remarks.isEmpty)
    }

    @Test("What was done already is not done again, whatever was interrupted before")
    func again() {
        let plan = plan {
            $0.bluetooth.dropIns = ["/etc/systemd/system/bluetooth.service.d/boxagent.conf"]
            $0.console.dropIns = ["/etc/systemd/system/getty@tty1.service.d/boxagent.conf"]
        }
        #expect(plan.steps.isEmpty)
        #expect(plan.remarks.isEmpty)
    }

    @Test("A step that was under way is done again, whatever the machine looks like", arguments: SetupStep.allCases)
    func unfinished(step: SetupStep) {
        let plan = plan {
            $0.bluetooth.dropIns = ["/etc/systemd/system/bluetooth.service.d/boxagent.conf"]
            $0.console.dropIns = ["/etc/systemd/system/getty@tty1.service.d/boxagent.conf"]
            $0.unfinished = [step]
        }
        #expect(plan.steps == [step])
    }

    @Test(
        "Interrupted behind any step, it does the rest; in the middle of one, it begins with that one",
        arguments: 0...6)
    func interrupted(done: Int) {
        var facts = fresh
        facts.agent = .init(file: "/lib/systemd/system/boxagentd.service")
        (facts.blockedSwitches, facts.hasModuleLine) = (["hci0"], false)
        facts.siteServers = ["192.0.2.10"]
        #expect(SetupPlan(facts).steps == SetupStep.allCases)
        let left = Array(SetupStep.allCases.dropFirst(done))
        for step in SetupStep.allCases.prefix(done) { Self.pretend(step, &facts) }
        #expect(SetupPlan(facts).steps == left)
        guard let underWay = left.first else { return }
        facts.unfinished = [underWay]
        #expect(SetupPlan(facts).steps == left)
        // pam-auth-update records that it knows the profiles before it writes the stacks.
        if underWay == .module { facts.knowsProfiles = true }
        #expect(SetupPlan(facts).steps == left)
        Self.pretend(underWay, &facts)
        #expect(SetupPlan(facts).steps == left)
    }

    private static func pretend(_ step: SetupStep, _ facts: inout SetupFacts) {
        switch step {
        case .agent: (facts.agent.isActive, facts.agent.isEnabled) = (true, true)
        case .site: facts.siteDropIn = step.text(facts)
        case .bluetoothSwitch: facts.blockedSwitches = []
        case .bluetoothd: facts.bluetooth.dropIns = step.file.map { [$0] } ?? []
        case .module: (facts.hasModuleLine, facts.knowsProfiles) = (true, true)
        case .console: facts.console.dropIns = step.file.map { [$0] } ?? []
        }
    }

    @Test("A unit that an administrator has changed is left alone, and named")
    func administrators() {
        let bluetooth = plan { $0.bluetooth.dropIns = ["/etc/systemd/system/bluetooth.service.d/site.conf"] }
        #expect(bluetooth.steps == [.console])
        #expect(
            bluetooth.remarks.map(\.text) == ["bluetooth.service was changed on this machine, so it stays unchanged"])
        let console = plan { $0.console.file = "/etc/systemd/system/getty@.service" }
        #expect(console.steps == [.bluetoothd])
        #expect(console.remarks.count == 1)
        // A drop-in from a package does not count as a change by an administrator.
        let package = plan { $0.console.dropIns = ["/usr/lib/systemd/system/getty@.service.d/x.conf"] }
        #expect(package.steps.contains(.console))
    }

    @Test("The agent may reach a site's servers where it is asked for, and those alone that were named last")
    func site() {
        #expect(!SetupPlan(fresh).steps.contains(.site))
        let first = plan { $0.siteServers = ["192.0.2.10", "2001:db8::10"] }
        #expect(first.steps.first == .site)
        let text = SetupStep.site.text(facts(servers: ["192.0.2.10", "2001:db8::10"]))
        #expect(text?.contains("\nIPAddressAllow=192.0.2.10 2001:db8::10\n") == true)
        let again = plan { ($0.siteServers, $0.siteDropIn) = (["192.0.2.10", "2001:db8::10"], text) }
        #expect(!again.steps.contains(.site))
        let others = plan { ($0.siteServers, $0.siteDropIn, $0.siteRecord) = (["192.0.2.11"], text, text) }
        #expect(others.steps.first == .site)
        // Without the option for servers, setup leaves the drop-in unchanged.
        #expect(!plan { ($0.siteDropIn, $0.siteRecord) = (text, text) }.steps.contains(.site))
    }

    @Test("A drop-in for a site that an administrator has written stays, and is named")
    func sitesDropInOfSomebodyElse() {
        let plan = plan { ($0.siteServers, $0.siteDropIn) = (["192.0.2.11"], "[Service]\nIPAddressAllow=any\n") }
        #expect(!plan.steps.contains(.site) && plan.remarks.count == 1)
        let changed = self.plan {
            ($0.siteServers, $0.siteDropIn, $0.siteRecord) = (
                ["192.0.2.11"], "changed", SetupStep.site.text(facts(servers: ["192.0.2.10"]))
            )
        }
        #expect(!changed.steps.contains(.site) && changed.remarks.count == 1)
    }

    @Test("A site's step that was interrupted writes what it was about to write")
    func interruptedSite() {
        let text = SetupStep.site.text(facts(servers: ["192.0.2.10"]))
        var facts = fresh
        (facts.unfinished, facts.siteRecord) = ([.site], text)
        #expect(SetupPlan(facts).steps.first == .site && SetupStep.site.text(facts) == text)
    }

    private func facts(servers: [String]) -> SetupFacts {
        var facts = fresh
        facts.siteServers = servers
        return facts
    }

    @Test("With a display manager the console stays as it is")
    func displayManager() {
        let plan = plan { $0.displayManager = "lightdm.service" }
        #expect(plan.steps == [.bluetoothd])
        #expect(plan.remarks.isEmpty)
    }

    @Test("Without an adapter, or without BlueZ, it says so and does the rest")
    func noRadio() {
        let noAdapter = plan { $0.adapters = [] }
        #expect(noAdapter.steps == [.bluetoothd, .console])
        #expect(noAdapter.remarks.map(\.cure) == ["plug in an adapter with Bluetooth LE"])
        let noBlueZ = plan { ($0.bluetoothd, $0.bluetooth) = (nil, .init()) }
        #expect(noBlueZ.steps == [.console])
        #expect(noBlueZ.remarks.map(\.cure) == ["apt install bluez, then run this again"])
    }

    @Test("Bluetooth that software blocks is switched on; a switch of the machine is the person's")
    func switches() {
        #expect(plan { $0.blockedSwitches = ["hci0"] }.steps == [.bluetoothSwitch, .bluetoothd, .console])
        let hard = plan { $0.isHardBlocked = true }
        #expect(hard.steps == [.bluetoothd, .console])
        #expect(hard.remarks.count == 1)
    }

    @Test("The module is put into the stacks where its package is, and asked for where it is not")
    func module() {
        #expect(plan { $0.hasModuleLine = false }.steps == [.bluetoothd, .module, .console])
        let absent = plan { ($0.hasModuleLine, $0.hasProfiles) = (false, false) }
        #expect(!absent.steps.contains(.module))
        #expect(absent.remarks.map(\.cure) == ["apt install libpam-boxagent"])
        let deselected = plan { ($0.hasModuleLine, $0.knowsProfiles) = (false, true) }
        #expect(!deselected.steps.contains(.module))
        #expect(
            deselected.remarks.map(\.cure)
                == ["pam-auth-update --enable boxagent boxagent-refused boxagent-verdict boxagent-session"])
    }

    @Test("An agent that does not run, or not after a reboot, is started first")
    func agent() {
        #expect(plan { $0.agent.isActive = false }.steps.first == .agent)
        #expect(plan { $0.agent.isEnabled = false }.steps.first == .agent)
        #expect(plan { $0.agent = .init() }.remarks.map(\.cure) == ["apt install boxagent"])
    }

    @Test("Without systemd nothing is done")
    func noSystemd() {
        let plan = plan { $0.hasSystemd = false }
        #expect(plan.steps.isEmpty)
        #expect(plan.remarks.count == 1)
    }

    @Test(
        "An old BlueZ and a clock of its own are named, and keep nothing from being done",
        arguments: ["5.9", "5.55", "4.101"])
    func remarks(version: String) {
        let plan = plan { ($0.bluezVersion, $0.clockIsSynchronised) = (version, false) }
        #expect(plan.steps == [.bluetoothd, .console])
        #expect(plan.remarks.count == 2)
    }

    @Test(
        "A version that is newer, or cannot be told, is no remark", arguments: ["5.66", "5.82", "6.0", "", "unknown"])
    func newVersions(version: String) {
        #expect(plan { $0.bluezVersion = version }.remarks.isEmpty)
    }

    @Test("Each drop-in says who wrote it, and empties what it replaces")
    func texts() throws {
        for step in [SetupStep.bluetoothd, .console] {
            let text = try #require(step.text(fresh))
            #expect(text.hasPrefix("# Written by 'boxagent setup'"))
            #expect(text.contains("\nExecStart=\nExecStart="))
            #expect(text.hasSuffix("\n"))
        }
        let bluetoothd = try #require(SetupStep.bluetoothd.text(fresh))
        #expect(bluetoothd.contains("\nExecStart=/usr/libexec/bluetooth/bluetoothd --noplugin="))
    }
}
