import PhoneCore
import PhoneMessages

extension WatchEvent {
    func write(_ writer: inout HostWriter) {
        func begin(_ word: String, _ items: Int, _ writer: inout HostWriter) {
            writer.array(1 + items)
            writer.text(word)
        }
        switch self {
        case .state(let state):
            begin("state", 1, &writer)
            state.write(&writer)
        case .accountProblem(let problem):
            begin("accountProblem", 1, &writer)
            writer.number(problem.rawValue)
        case .sessionEnded(let end):
            begin("sessionEnded", 1, &writer)
            writer.number(end.rawValue)
        case .offer(let offer):
            begin("offer", 1, &writer)
            writer.number(offer.rawValue)
        case .warning(let warning):
            begin("warning", 1, &writer)
            if let warning { warning.write(&writer) } else { writer.null() }
        case .acted(let act, let outcome):
            begin("acted", 2, &writer)
            writer.text(act.word)
            outcome.write(&writer)
        case .loggedIn(let outcome):
            begin("loggedIn", 1, &writer)
            outcome.write(&writer)
        case .elevation(let prompt):
            begin("elevation", 1, &writer)
            if let prompt { prompt.write(&writer) } else { writer.null() }
        case .answered(let allowed, let outcome):
            begin("answered", 2, &writer)
            writer.flag(allowed)
            outcome.write(&writer)
        case .lost(let error, let pause):
            begin("lost", 2, &writer)
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
    /// Its number, service, terminal and requester as bytes of text, and after how many seconds the program asks itself.
    fileprivate func write(_ writer: inout HostWriter) {
        writer.array(5)
        writer.number(id.rawValue)
        writer.bytes(service)
        writer.bytes(terminal)
        writer.bytes(requester)
        writer.number(seconds)
    }
}
