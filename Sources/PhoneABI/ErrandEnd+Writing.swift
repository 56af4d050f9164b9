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
        case .opened(let secret):
            writer.record("opened", items: 1)
            writer.secret(secret)
        case .enrolled(let box):
            writer.record("enrolled", items: 1)
            box.write(&writer)
        case .watched: writer.record("watched")
        case .pinged(let report):
            writer.record("pinged", items: 1)
            writer.array(report.roundTrips.count)
            for trip in report.roundTrips { writer.number(trip.microseconds) }
        case .measured(let samples):
            writer.record("measured", items: 1)
            if let samples {
                writer.array(samples.count)
                for sample in samples { writer.number(sample) }
            } else {
                writer.null()
            }
        case .seen(let boxes):
            writer.record("seen", items: 1)
            writer.array(boxes.count)
            for box in boxes { box.write(&writer) }
        case .found(let box):
            writer.record("found", items: 1)
            if let box { box.write(&writer) } else { writer.null() }
        // Of an order that no host over this interface gives.
        case .granted: writer.record("granted")
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
        }
    }
}

extension SeenBox {
    /// Digits, signal, whether another shows the same digits, and how it stands: a word, with a row or a reason.
    fileprivate func write(_ writer: inout HostWriter) {
        writer.array(5)
        writer.text(boxID)
        writer.optional(rssi)
        writer.flag(hasDouble)
        switch standing {
        case .unknown:
            writer.text("unknown")
            writer.null()
        case .known(let box):
            writer.text("known")
            box.write(&writer)
        case .other(let problem):
            writer.text("other")
            writer.text(problem.word)
        case .unreachable(let error):
            writer.text("unreachable")
            writer.text(error.word)
        }
    }
}
