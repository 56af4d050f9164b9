import AgentClient
import ControlProtocol

/// The agent's doctor, and what is found from outside where the agent does not answer.
struct Consultation {
    /// From the first look to the last word. Checking a large vault takes seconds.
    private static let patience: Duration = .seconds(60)
    /// After as long a silence it is asked whether anybody is there to answer: systemd takes connections for an agent
    /// that does not start.
    private static let silence: Duration = .seconds(2)

    let socket: String
    let survey = AgentSurvey(machine: SetupMachine())

    /// Whether it is the agent of this machine's unit: of another nobody but itself can tell.
    private var isOfUnit: Bool { socket == AgentConnection.defaultPath }

    /// What is found. Throws only what has no finding: nobody may ask, or nobody understands the answer.
    func findings() throws(CommandFailure) -> [Finding] {
        do {
            let said = try asked()
            return isOfUnit ? said + SilentAgent.configuration(survey.factsOfRunning()) : said
        } catch {
            guard isOfUnit, error.status == .unavailable || error.status == .tryAgain else { throw error }
            return SilentAgent.findings(survey.facts())
        }
    }

    /// What the agent's doctor finds.
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
