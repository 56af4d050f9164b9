import AgentClient
import ControlProtocol

/// Combines the findings of the agent's doctor with an examination from outside, which also works without the agent.
struct Consultation {
    /// Time limit of the whole consultation. Checking a large vault takes seconds.
    private static let patience: Duration = .seconds(60)
    /// After this silence, the unit's state is checked: systemd also accepts connections for an agent that cannot
    /// start.
    private static let silence: Duration = .seconds(2)

    let socket: String
    let survey = AgentSurvey(machine: SetupMachine())

    /// True if the socket belongs to this machine's unit. Any other agent cannot be examined from outside.
    private var isOfUnit: Bool { socket == AgentConnection.defaultPath }

    /// Returns the findings. Throws if the caller may not ask or the answer is not valid, or if an agent of another
    /// socket does not answer.
    func findings() throws(CommandFailure) -> [Finding] {
        do {
            let said = try asked()
            return isOfUnit ? said + SilentAgent.configuration(survey.factsOfRunning()) : said
        } catch {
            guard isOfUnit, error.status == .unavailable || error.status == .tryAgain else { throw error }
            return SilentAgent.findings(survey.facts())
        }
    }

    /// Returns the findings of the agent's doctor.
    func asked() throws(CommandFailure) -> [Finding] {
        var conversation = try Conversation(socket: socket)
        try conversation.send(.doctor)
        var findings: [Finding] = []
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            let isDone: Bool? = try conversation.receive(within: Self.silence) { reply, _ in
                if case .finding(let finding) = reply { findings.append(finding) }
                if case .done = reply { return true }
                return false
            }
            if isDone == true { return findings }
            if isDone == nil, isOfUnit, survey.unit().facts.isBeyondWaiting { break }
        }
        throw CommandFailure(.timedOut)
    }
}
