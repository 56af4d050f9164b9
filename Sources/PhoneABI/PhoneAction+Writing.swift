import Links
import PhoneCore
import Secrets
import VaultPort

extension PhoneAction {
    /// Writes an action for the host.
    func write(_ writer: inout HostWriter) {
        func begin(_ word: String, _ number: OperationNumber, _ more: Int = 0, _ writer: inout HostWriter) {
            writer.record(word, items: 1 + more)
            writer.number(number.rawValue)
        }
        switch self {
        case .scan(let number, let duration):
            begin("scan", number, 1, &writer)
            writer.number(duration.microseconds / 1_000)
        case .stopScan(let number): begin("stopScan", number, 0, &writer)
        case .connect(let number, let address):
            begin("connect", number, 1, &writer)
            writer.text(address)
        case .identify(let number): begin("identify", number, 0, &writer)
        case .open(let number, let demand):
            begin("open", number, 1, &writer)
            writer.text(demand == .much ? "much" : "little")
        case .write(let number, let segment):
            begin("write", number, 1, &writer)
            writer.bytes(segment)
        case .disconnect(let number): begin("disconnect", number, 0, &writer)
        case .measure(let number): begin("measure", number, 0, &writer)
        case .vault(let number, let command): command.write(number.rawValue, &writer)
        case .askPIN(let request):
            writer.record("askPIN", items: 3)
            switch request.purpose {
            case .phoneVault: writer.null()
            case .boxCredential(let boxID): writer.text(boxID)
            }
            writer.optional(request.triesLeft)
            writer.flag(request.isRepeated)
        case .choose(let boxes):
            writer.record("choose", items: 1)
            writer.array(boxes.count)
            for box in boxes { box.write(&writer) }
        case .askAgain(_, let doubt):
            writer.record("askAgain", items: 1)
            switch doubt {
            case .refused(let time): writer.number(time)
            case .unknown: writer.null()
            }
        case .show(let progress):
            writer.record("show", items: 1)
            progress.write(&writer)
        case .watched(let event):
            writer.record("watched", items: 1)
            event.write(&writer)
        // Actions of orders that a host cannot give through this interface.
        case .roundTrip, .sample: break
        case .finished(let end):
            writer.record("finished", items: 1)
            end.write(&writer)
        }
    }
}

extension Duration {
    /// The duration in whole microseconds, rounded toward zero.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
    }
}
