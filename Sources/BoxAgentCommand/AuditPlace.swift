import ControlProtocol

/// The position up to which a log was followed; checks that the next entries continue it.
///
/// The last entry is requested again each time, to detect that another log has replaced the followed one.
struct AuditPlace {
    enum Step: Equatable {
        /// New entries. `dropped` are numbers that the administrator pruned before they were seen.
        case fresh([AuditListing], dropped: ClosedRange<UInt64>?)
        /// This entry is missing or has changed.
        case changed(UInt64)
    }

    private var last: AuditListing?
    private var after: UInt64

    init(after: UInt64) {
        self.after = after
    }

    /// The next request asks for entries above this number.
    var question: UInt64 { last == nil ? after : after - min(after, 1) }

    mutating func take(_ page: [AuditListing]) -> Step {
        var fresh = page[...]
        if let last {
            guard let first = page.first else { return .changed(last.number) }
            // A first number above `last` means that the last entry was pruned with its segment.
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
