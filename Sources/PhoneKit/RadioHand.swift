import Links
import PhoneCore
import Transport

/// An operation's use of the radio: a scan, links, and links that are closing.
struct RadioHand {
    var scan: (number: OperationNumber, task: Task<Void, Never>)?
    var links: [OperationNumber: LinkInHand] = [:]
    /// Closes earlier links. The next scan or link waits for this task.
    var closing: Task<Void, Never>?
}

/// A link of an operation.
struct LinkInHand {
    /// The task that connects, then reads the identity, then opens a carrier.
    var work: Task<Void, Never>?
    var link: (any CentralLink)?
    var carrier: (any PhoneLink)?
    var writer: Task<Void, Never>?
    /// Segments that the radio has not accepted yet.
    private var outbox: [[UInt8]] = []
    var isEnding = false

    mutating func put(_ segment: [UInt8]) {
        outbox.append(segment)
    }

    mutating func takeSegment() -> [UInt8]? { outbox.isEmpty ? nil : outbox.removeFirst() }
}
