import CommandTool
import ControlProtocol
import Glibc
import TextOutput

/// Checks by the agent's doctor whether the agent works after a setup.
struct SetupTrial {
    /// Starting the agent, restarting bluetoothd and turning on the adapter each take seconds on a slow machine.
    private static let patienceSeconds = 30

    let terminal: Terminal
    let socket: String

    /// Returns the doctor's findings, after waiting for the radio to settle. Without an adapter, the wait is short.
    func look(hasAdapter: Bool) throws(CommandFailure) -> [Finding] {
        let consultation = Consultation(socket: socket)
        var findings: [Finding] = []
        for second in 0...(hasAdapter ? Self.patienceSeconds : 2) {
            if second > 0 { sleep(1) }
            do {
                findings = try consultation.asked()
                let unsettled = findings.contains { $0.name == "radio" && $0.level != .good }
                // On a copied machine, the radio stays off until the administrator has chosen.
                if !unsettled || SetupState.isForeign(findings) { break }
            } catch {
                // The agent may have just started.
                guard error.status == .unavailable, second < Self.patienceSeconds else {
                    terminal.endProgress()
                    findings = try consultation.findings()
                    break
                }
            }
            terminal.progress("waiting for the agent and its radio …")
        }
        terminal.endProgress()
        return findings
    }

    /// Shows all findings except good ones, and returns the number of faults.
    func show(_ findings: [Finding]) -> Int {
        for finding in findings where finding.level != .good { DoctorCommand.show(finding, terminal) }
        return findings.count { $0.level == .fault }
    }
}
