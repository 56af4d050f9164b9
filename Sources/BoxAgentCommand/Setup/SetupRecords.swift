import AgentSetup

/// What `boxagent setup` has done on this machine, so that it can be taken back: one file for each step, written before the
/// step is done. A second file beside it says that the step is under way: after a pulled plug it is done again.
///
/// The package's prerm reads the records of drop-ins, too: what it takes away with the programs is what they say.
struct SetupRecords {
    static let directory = "/etc/boxagent/setup"

    let machine: SetupMachine

    /// Steps on record, in the order in which they are taken back.
    var steps: [SetupStep] {
        SetupStep.allCases.reversed().filter { machine.exists(Self.path($0)) }
    }

    var unfinished: Set<SetupStep> {
        Set(SetupStep.allCases.filter { machine.exists(Self.mark($0)) })
    }

    /// What the step needs to be taken back: the text that it wrote, or what it found. Nil without a record.
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
