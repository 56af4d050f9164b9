import AgentSetup

/// What `boxagent setup` has done on this machine, so that it can be taken back: one file for each step, written before the
/// step is done. A plug that is pulled in between leaves a record of a step that was not done, which taking back bears.
struct SetupRecords {
    static let directory = "/etc/boxagent/setup"

    let machine: SetupMachine

    /// Steps on record, in the order in which they are taken back.
    var steps: [SetupStep] {
        SetupStep.allCases.reversed().filter { machine.exists(Self.path($0)) }
    }

    /// What the step needs to be taken back: the text that it wrote, or which switches it switched on.
    func note(of step: SetupStep) -> String { machine.text(of: Self.path(step)) ?? "" }

    func add(_ step: SetupStep, note: String) throws(SetupFailure) {
        // What was noted first is how the machine was.
        if !machine.exists(Self.path(step)) { try machine.write(note, to: Self.path(step)) }
    }

    func remove(_ step: SetupStep) throws(SetupFailure) { try machine.remove(Self.path(step)) }

    private static func path(_ step: SetupStep) -> String { directory + "/" + step.rawValue }
}
