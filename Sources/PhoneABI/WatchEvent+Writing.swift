import PhoneCore
import PhoneMessages

extension WatchEvent {
    func write(_ writer: inout HostWriter) {
        switch self {
        case .state(let state):
            writer.record("state", items: 1)
            state.write(&writer)
        case .sessionEnded(let end):
            writer.record("sessionEnded", items: 1)
            writer.number(end.rawValue)
        case .offer(let offer):
            writer.record("offer", items: 1)
            writer.number(offer.rawValue)
        case .warning(let warning):
            writer.record("warning", items: 1)
            if let warning { warning.write(&writer) } else { writer.null() }
        case .acted(let act, let outcome):
            writer.record("acted", items: 2)
            writer.text(act.word)
            outcome.write(&writer)
        case .loggedIn(let outcome):
            writer.record("loggedIn", items: 1)
            outcome.write(&writer)
        case .elevation(let prompt):
            writer.record("elevation", items: 1)
            if let prompt { prompt.write(&writer) } else { writer.null() }
        case .answered(let allowed, let outcome):
            writer.record("answered", items: 2)
            writer.flag(allowed)
            outcome.write(&writer)
        case .lost(let error, let pause):
            writer.record("lost", items: 2)
            error.write(&writer)
            writer.number(pause.microseconds / 1_000)
        }
    }
}

extension SessionAct {
    fileprivate var word: String {
        switch self {
        case .lock: "lock"
        case .unlock: "unlock"
        case .logout: "logout"
        case .extend: "extend"
        }
    }
}

extension ElevationPrompt {
    /// Writes the id, then service, terminal and requester as bytes of text, then the seconds left to answer.
    fileprivate func write(_ writer: inout HostWriter) {
        writer.array(5)
        writer.number(id.rawValue)
        writer.bytes(service)
        writer.bytes(terminal)
        writer.bytes(requester)
        writer.number(seconds)
    }
}
