import ControlProtocol

/// How far a record has been followed, and whether what the agent says next fits behind that.
///
/// The last entry is asked for again each time: a record that was put in the place of the one that is followed shows.
struct AuditPlace {
    enum Step: Equatable {
        /// Entries that were not seen before. `dropped`: numbers that the administrator has pruned unseen.
        case fresh([AuditListing], dropped: ClosedRange<UInt64>?)
        /// This entry is missing, or is not what it was.
        case changed(UInt64)
    }

    private var last: AuditListing?
    private var after: UInt64

    init(after: UInt64) {
        self.after = after
    }

    /// Entries with a higher number than this are to be asked for.
    var question: UInt64 { last == nil ? after : after - min(after, 1) }

    mutating func take(_ page: [AuditListing]) -> Step {
        var fresh = page[...]
        if let last {
            guard let first = page.first else { return .changed(last.number) }
            // Behind it: the last one went with its segment.
            if first.number <= last.number {
                guard first == last else { return .changed(last.number) }
                fresh = fresh.dropFirst()
            }
        }
        guard let first = fresh.first else { return .fresh([], dropped: nil) }
        for (entry, next) in zip(fresh, fresh.dropFirst()) where entry.number + 1 != next.number {
            return .changed(entry.number + 1)
        }
        let dropped = after > 0 && first.number > after + 1 ? after + 1...first.number - 1 : nil
        last = fresh.last
        after = fresh.last?.number ?? after
        return .fresh(Array(fresh), dropped: dropped)
    }
}
