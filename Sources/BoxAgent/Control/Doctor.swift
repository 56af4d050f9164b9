import AgentCore
import ControlProtocol
import EventLoop
import TextOutput
import Vault

/// The limit after which a site counts as silent.
enum SiteCheck {
    /// Signed statuses arrive each minute, and a broken link returns within two minutes.
    static let quietSeconds: UInt64 = 600
}

/// Checks the needs of a working box, and tells how to fix problems. Probes the system rather than the configuration.
struct Doctor {
    let agent: Agent

    func findings() async -> [Finding] {
        [
            await vaultFinding(), await auditFinding(), await radioFinding(), await devicesFinding(),
            await servicesFinding(), moduleFinding(), coreFinding(), await sessionsFinding(),
        ] + (await seatFindings()) + (await elevationFindings()) + (await hookFindings()) + oldSessionLineFindings()
            + (await metricsFindings()) + (await siteFindings()) + (await machineFindings())
    }

    private func vaultFinding() async -> Finding {
        do {
            try await agent.vault.checkIntegrity()
            let kept = try await agent.vault.setAside()
            if let name = kept.first {
                return warning(
                    "vault", "a damaged database is kept (\(name)); its credentials could still be opened",
                    "recover what you need from it; then 'boxagent wipe --all' destroys it, with every password that this box keeps"
                )
            }
            return good("vault", "the database is intact, and only boxagentd can read it")
        } catch {
            return fault("vault", "\(error)", "restore the state directory from a backup, or enrol the phones again")
        }
    }

    private func auditFinding() async -> Finding {
        switch try? await agent.vault.verifyAudit() {
        case .intact(let count, _): good("audit", "the audit log is intact: " + Plural.text(count, "entry", "entries"))
        case .broken(let number):
            fault(
                "audit", "entry \(number) does not match the chain",
                "find out who changed it, with the hashes in the journal (/usr/share/doc/boxagent/reference/audit.md); then restore the state directory from an earlier backup"
            )
        case nil: fault("audit", "the audit log cannot be read", "see the finding 'vault'")
        }
    }

    private func radioFinding() async -> Finding {
        if let foreign = agent.parts.place.foreign { return fault("machine", foreign.problem, foreign.cure) }
        let state = await agent.radioState
        if let found = state.fault { return fault("radio", found.problem, found.cure) }
        let radio = await agent.configuration.radio
        if radio.kind == .loopback, await agent.configuration.login.serve == .seat {
            return warning(
                "radio", "the loopback radio is in use, which no phone can reach",
                "run 'boxagent config set radio.kind auto', then 'systemctl restart boxagentd'")
        }
        return state.isWorking
            ? good("radio", "\(state)")
            : warning("radio", "\(state)", "wait a moment; if this does not change, see journalctl -u boxagentd")
    }

    private func devicesFinding() async -> Finding {
        let count: Int
        let refused: [UInt8]?
        do {
            count = try await agent.vault.activeDeviceCount()
            refused = try await agent.vault.refusedUser()
        } catch {
            return fault("devices", "the devices cannot be read", "see the finding 'vault'")
        }
        if let user = refused {
            let name = LogText.text(user)
            return warning(
                "devices", "the account \(name) has another number (uid) now, so its earlier phones are refused",
                "see 'boxagent devices'; revoke the phones of another person, or run 'boxagent devices --same-person \(name)'"
            )
        }
        return count > 0
            ? good("devices", "\(count) enrolled")
            : warning("devices", "no phone is enrolled", "run 'boxagent enrol USER'")
    }

    private func servicesFinding() async -> Finding {
        let services = await agent.configuration.login.services
        let without = services.filter { !PAMStack.names(module: "pam_boxagent.so", service: $0) }
        if services.isEmpty {
            return warning(
                "services", "login.services is empty, so no program gets a credential",
                "run 'boxagent config unset login.services', then 'systemctl reload boxagentd'; if boxagent.toml itself empties it, change it there"
            )
        }
        if without.count == services.count {
            return warning(
                "services", "no PAM service in login.services runs pam_boxagent.so",
                "run 'pam-auth-update --enable boxagent boxagent-refused boxagent-verdict boxagent-session', or add the lines of pam_boxagent(8) to /etc/pam.d"
            )
        }
        return good(
            "services",
            "pam_boxagent.so runs in \(services.count - without.count) of \(Plural.text(services.count, "service"))")
    }

    /// Returns no finding if the kernel shows the agent what it must know about programs that ask for a tap.
    private func seatFindings() async -> [Finding] {
        guard await agent.configuration.login.serve == .seat, KernelFacts().process(1) == nil else { return [] }
        return [
            fault(
                "seats", "boxagentd cannot see root's programs in /proc, so no tap can log in",
                "remove ProtectProc= from the unit's drop-ins ('systemctl cat boxagentd' shows them), then run: systemctl daemon-reload; systemctl restart boxagentd; if no drop-in has it, see boxagentd(8), \"Seats\""
            )
        ]
    }

    /// Returns no finding if no service may ask for an elevation, which is the default.
    private func elevationFindings() async -> [Finding] {
        let services = await agent.configuration.elevation.services
        guard !services.isEmpty else { return [] }
        let without = services.filter { !PAMStack.asksAndWaits(PAMStack.lines(of: $0)) }
        guard without.isEmpty else {
            return [
                warning(
                    "elevation", "no PAM line of \(without.joined(separator: ", ")) waits for an answer on the phone",
                    "add the line of /usr/share/doc/boxagent/how-to/sudo-and-polkit.md to its file in /etc/pam.d")
            ]
        }
        return [good("elevation", "\(services.joined(separator: ", ")) may ask on the phone")]
    }

    /// Returns no finding if there is no session hook, which is the default.
    private func hookFindings() async -> [Finding] {
        let services = await agent.configuration.login.services
        return services.compactMap { service in
            let lines = PAMStack.lines(of: service)
            guard let problems = SessionHookCheck.problems(in: lines, program: SessionHookCheck.distrust) else {
                return nil
            }
            return problems.isEmpty
                ? good("session hook", "the service \(service) has a hook")
                : warning(
                    "session hook",
                    "the hook of the service \(service) cannot run correctly: \(problems.joined(separator: "; "))",
                    "see session-hook(8); logins work without it")
        }
    }

    /// Returns no finding if no PAM file has the old session line. pam-auth-update removes that line, but
    /// administrators may have copied it.
    private func oldSessionLineFindings() -> [Finding] {
        let files = OldSessionLine.files()
        guard !files.isEmpty else { return [] }
        return [
            fault(
                "session line",
                "\(files.joined(separator: ", ")) has a line of pam_exec.so for boxagent-session, which passes user input to root's programs",
                "remove the line, and run 'pam-auth-update --enable boxagent-session'")
        ]
    }

    /// Returns no finding if metrics are off.
    private func metricsFindings() async -> [Finding] {
        let path = await agent.configuration.metrics.file
        guard !path.isEmpty else { return [] }
        if let problem = await agent.parts.metrics.problem {
            return [
                warning(
                    "metrics", problem,
                    "give boxagentd a directory that it may write to (/usr/share/doc/boxagent/how-to/monitor.md); it tries again in a minute"
                )
            ]
        }
        guard path.hasSuffix(".prom") else {
            return [
                warning(
                    "metrics", "node_exporter reads only files whose names end in .prom, unlike \(path)",
                    "set metrics.file to such a name and restart boxagentd")
            ]
        }
        return [good("metrics", "\(path) is written")]
    }

    /// Returns no finding if the box belongs to no site.
    private func siteFindings() async -> [Finding] {
        guard let site = await agent.site else { return [] }
        let running = (agent.loop.now() - agent.parts.startedAt).components.seconds
        let quiet = site.freshSeconds ?? UInt64(max(0, running))
        guard quiet > SiteCheck.quietSeconds else {
            return [good("site", "this box is number \(site.boxNumber) of its site, and hears from it")]
        }
        let why = site.problem.map { ": \($0)" } ?? ""
        return [
            warning(
                "site", "no news from the site for \(quiet / 60) minutes\(why)",
                "see 'boxagent site'; check that a server of the site runs, and that no firewall blocks this machine"
            )
        ]
    }

    /// Returns no finding if storage, disk and clock are in order.
    private func machineFindings() async -> [Finding] {
        let directory = await agent.configuration.box.stateDirectory
        var findings: [Finding] = []
        if let loss = agent.parts.place.loss { findings.append(warning("storage", loss, BoxPlace.lossCure)) }
        if let free = MachineCheck.freeBytes(in: directory), let problem = MachineCheck.problem(freeBytes: free) {
            findings.append(
                fault(
                    "disk", "the file system of \(directory) \(problem)",
                    "free some space there; boxagentd then continues by itself, and nothing is lost"))
        }
        if let problem = MachineCheck.problem(unixSeconds: MachineCheck.unixSeconds()) {
            findings.append(
                warning(
                    "clock", problem,
                    "run 'timedatectl set-ntp true', or set the clock: date -s 'YYYY-MM-DD HH:MM'"))
        }
        return findings
    }

    private func moduleFinding() -> Finding {
        PAMStack.moduleIsInstalled()
            ? good("module", "pam_boxagent.so is installed")
            : warning(
                "module", "pam_boxagent.so is not in a directory of PAM modules",
                "run 'apt install --reinstall libpam-boxagent'"
            )
    }

    private func coreFinding() -> Finding {
        ProcessHardening.isDumpable
            ? fault("memory", "core dumps of boxagentd are possible", "start boxagentd by its unit")
            : good("memory", "no core dumps, no ptrace by other users")
    }

    /// Checks that sessions can be locked and ended, and that sessions opened by phones have a locker.
    private func sessionsFinding() async -> Finding {
        let commands = await agent.configuration.sessions
        let words = [commands.lockCommand, commands.unlockCommand, commands.logoutCommand]
        if words.allSatisfy({ !$0.isEmpty }) {
            return good("sessions", "lock, unlock and logout run configured commands")
        }
        if let absence = await agent.parts.logind.absence {
            return fault(
                "sessions", "\(absence), so sessions can be neither locked nor ended",
                "run 'systemctl unmask systemd-logind', then 'systemctl start systemd-logind'; or set sessions.lock_command, unlock_command and logout_command"
            )
        }
        let without = await agent.sessionsWithoutLocker
        guard without.isEmpty else {
            return warning(
                "sessions", "no locker runs in session \(without.joined(separator: ", "))",
                "on a text console log out and in again, which starts boxagent-session; on a desktop see /usr/share/doc/boxagent/reference/sessions.md. Phones can still log out"
            )
        }
        return good("sessions", "logind locks, unlocks and ends sessions")
    }

    private func good(_ name: String, _ text: String) -> Finding { make(.good, name, text, "") }
    private func warning(_ name: String, _ text: String, _ cure: String) -> Finding { make(.warning, name, text, cure) }
    private func fault(_ name: String, _ text: String, _ cure: String) -> Finding { make(.fault, name, text, cure) }

    private func make(_ level: Finding.Level, _ name: String, _ text: String, _ cure: String) -> Finding {
        Finding(level: level, name: name, text: ControlLimits.cut(text), cure: ControlLimits.cut(cure))
    }
}
