import PhoneCore
import Secrets
import VaultPort

extension ErrandEnd {
    func write(_ writer: inout HostWriter) {
        switch self {
        case .answered(let answer):
            writer.record("answered", items: 3)
            answer.outcome.write(&writer)
            if let state = answer.state { state.write(&writer) } else { writer.null() }
            if let warning = answer.warning { warning.write(&writer) } else { writer.null() }
        case .loggedIn(let outcome):
            writer.record("loggedIn", items: 1)
            outcome.write(&writer)
        case .enrolled(let box):
            writer.record("enrolled", items: 1)
            box.write(&writer)
        case .watched: writer.record("watched")
        case .found(let box):
            writer.record("found", items: 1)
            if let box { box.write(&writer) } else { writer.null() }
        case .joined(let site):
            writer.record("joined", items: 1)
            writer.bytes(site.id)
        // Ends of orders that a host cannot give through this interface.
        case .granted, .pinged, .measured, .seen, .opened: writer.record("other")
        case .failed(let error):
            writer.record("failed", items: 1)
            error.write(&writer)
        }
    }
}

extension LoginOutcome {
    fileprivate func write(_ writer: inout HostWriter) {
        switch self {
        case .answered(let outcome): outcome.write(&writer)
        case .phonePINWrong(let triesLeft):
            writer.array(2)
            writer.text("phonePINWrong")
            writer.number(triesLeft)
        case .phoneWiped: writer.record("phoneWiped")
        case .noCredential: writer.record("noCredential")
        case .gaveUp: writer.record("gaveUp")
        case .notSentAgain: writer.record("notSentAgain")
        }
    }
}
