import CommandTool
import ControlProtocol
import Glibc
import TextOutput

/// Whether the agent works after a setup, by its doctor's word.
struct SetupTrial {
    /// The agent starts, bluetoothd starts anew, the adapter is switched on: seconds each, on a slow machine.
    private static let patienceSeconds = 30

    let terminal: Terminal
    let socket: String

    /// What is found. What has to settle is waited for, as long as there is an adapter to wait for.
    func look(hasAdapter: Bool) throws(CommandFailure) -> [Finding] {
        let consultation = Consultation(socket: socket)
        var findings: [Finding] = []
        for second in 0...(hasAdapter ? Self.patienceSeconds : 2) {
            if second > 0 { sleep(1) }
            do {
                findings = try consultation.asked()
                let unsettled = findings.contains { $0.name == "radio" && $0.level != .good }
                if !unsettled { break }
            } catch {
                // Just started, perhaps.
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

    /// How many faults there are.
    func show(_ findings: [Finding]) -> Int {
        for finding in findings where finding.level != .good { DoctorCommand.show(finding, terminal) }
        return findings.count { $0.level == .fault }
    }
}
