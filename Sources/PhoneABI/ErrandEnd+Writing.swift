import PhoneCore
import Secrets
import VaultPort

extension ErrandEnd {
    func write(_ writer: inout HostWriter) {
        func begin(_ word: String, _ items: Int, _ writer: inout HostWriter) {
            writer.array(1 + items)
            writer.text(word)
        }
        switch self {
        case .answered(let answer):
            begin("answered", 3, &writer)
            answer.outcome.write(&writer)
            if let state = answer.state { state.write(&writer) } else { writer.null() }
            if let warning = answer.warning { warning.write(&writer) } else { writer.null() }
        case .loggedIn(let outcome):
            begin("loggedIn", 1, &writer)
            outcome.write(&writer)
        case .opened(let secret):
            begin("opened", 1, &writer)
            writer.secret(secret)
        case .enrolled(let box):
            begin("enrolled", 1, &writer)
            box.write(&writer)
        case .watched: writer.record("watched")
        case .pinged(let report):
            begin("pinged", 1, &writer)
            writer.array(report.roundTrips.count)
            for trip in report.roundTrips { writer.number(trip.microseconds) }
        case .measured(let samples):
            begin("measured", 1, &writer)
            if let samples {
                writer.array(samples.count)
                for sample in samples { writer.number(sample) }
            } else {
                writer.null()
            }
        case .seen(let boxes):
            begin("seen", 1, &writer)
            writer.array(boxes.count)
            for box in boxes { box.write(&writer) }
        case .found(let box):
            begin("found", 1, &writer)
            if let box { box.write(&writer) } else { writer.null() }
        case .failed(let error):
            begin("failed", 1, &writer)
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
