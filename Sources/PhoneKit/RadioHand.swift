import Links
import PhoneCore
import Transport

/// What an errand has of the radio at the moment: a scan, a link, and those that are closing.
struct RadioHand {
    var scan: (number: OperationNumber, task: Task<Void, Never>)?
    var links: [OperationNumber: LinkInHand] = [:]
    /// Closes the links before: the next one waits for it.
    var closing: Task<Void, Never>?
}

/// A link of an errand.
struct LinkInHand {
    /// Connecting, asking who it is, opening: one after the other.
    var work: Task<Void, Never>?
    var link: (any CentralLink)?
    var carrier: (any PhoneLink)?
    var writer: Task<Void, Never>?
    /// Segments that the radio has not taken.
    private var outbox: [[UInt8]] = []
    var isEnding = false

    mutating func put(_ segment: [UInt8]) {
        outbox.append(segment)
    }

    mutating func takeSegment() -> [UInt8]? { outbox.isEmpty ? nil : outbox.removeFirst() }
}
