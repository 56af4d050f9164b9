import AgentCore

extension AgentMetrics.Event {
    /// Converts the machine's count.
    init(_ tally: Tally) {
        switch tally {
        case .loginJudged(let code, let time): self = .loginJudged(code, after: time)
        case .pinWrong: self = .pinWrong
        case .linkEnded(let end): self = .linkEnded(end)
        case .radio(let isWorking): self = .radio(isWorking: isWorking)
        }
    }
}
