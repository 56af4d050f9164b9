import AgentSetup

/// The records of the steps of `boxagent setup` on this machine, which are needed to undo them. Each step has one file,
/// written before the step. A second file marks a step in progress: after a power failure, the step is repeated.
///
/// The package's prerm also reads the records of drop-ins, and removes those drop-ins with the programs.
struct SetupRecords {
    static let directory = "/etc/boxagent/setup"

    let machine: SetupMachine

    /// Recorded steps, in the order in which they are undone.
    var steps: [SetupStep] {
        SetupStep.allCases.reversed().filter { machine.exists(Self.path($0)) }
    }

    var unfinished: Set<SetupStep> {
        Set(SetupStep.allCases.filter { machine.exists(Self.mark($0)) })
    }

    /// Returns the data for undoing the step: the text that it wrote, or the earlier state; nil without a record.
    func note(of step: SetupStep) -> String? { machine.text(of: Self.path(step)) }

    func begin(_ step: SetupStep, note: String) throws(SetupFailure) {
        try machine.write("", to: Self.mark(step))
        try machine.write(note, to: Self.path(step))
    }

    func end(_ step: SetupStep) throws(SetupFailure) { try machine.remove(Self.mark(step)) }

    func remove(_ step: SetupStep) throws(SetupFailure) {
        try machine.remove(Self.mark(step))
        try machine.remove(Self.path(step))
    }

    private static func path(_ step: SetupStep) -> String { directory + "/" + step.rawValue }
    private static func mark(_ step: SetupStep) -> String { path(step) + ".unfinished" }
}
