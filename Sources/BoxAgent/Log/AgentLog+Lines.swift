import AgentCore

extension AgentLog {
    /// Writes a line from the machine.
    func write(_ line: LogLine) {
        let event = line.field.map { LogEvent($0) }
        switch line.level {
        case .error: error(line.text, event)
        case .warning: warning(line.text, event)
        case .notice: notice(line.text, event)
        case .info: info(line.text, event)
        }
    }
}

extension LogEvent {
    fileprivate init(_ field: LogField) {
        switch field {
        case .promptRefused(let user, let reason): self = .promptRefused(user, reason)
        case .linkRefused(let end): self = .linkRefused(end)
        }
    }
}
