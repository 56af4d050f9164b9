import AuditLog

/// An entry of a site's audit table: who did what to whom. Its hash covers numbers and IDs, but not names.
///
/// Names are deleted after `namesKept`. The chain stays valid, because it does not cover names.
public struct SiteAuditEntry: Sendable, Equatable {
    /// 90 days, in seconds.
    public static let namesKept: UInt64 = 90 * 86_400
    public static let detailBytes = 255
    public static let nameBytes = 255

    public let number: UInt64
    public let unixSeconds: Int64
    /// Fixed words, such as `phone revoke`.
    public let event: String
    /// For example `root`, `boxsited`, `administrator 3, page` or `uid 1000`.
    public let actor: String
    /// `box 12`, `user` and an ID, `phone` and an ID, or `administrator 4`. Empty for the site itself.
    public let subject: String
    /// A program's remark, or the reason that a person gave. Our programs never write a name here.
    public let detail: String
    public let actorName: String?
    public let subjectName: String?

    public init(
        number: UInt64, unixSeconds: Int64, event: String, actor: String, subject: String, detail: String,
        actorName: String?, subjectName: String?
    ) {
        self.number = number
        self.unixSeconds = unixSeconds
        self.event = event
        self.actor = actor
        self.subject = subject
        self.detail = detail
        self.actorName = actorName
        self.subjectName = subjectName
    }

    /// The part that the chain covers, in the format of a box's entry (docs/reference/audit.md).
    public var chained: AuditEntry {
        AuditEntry(
            number: number, unixSeconds: unixSeconds, event: Array(event.utf8),
            user: subject.isEmpty ? nil : Array(subject.utf8), device: nil, detail: Array(detail.utf8),
            actor: AuditActor(kind: actor == "boxsited" ? .agent : .person, name: Array(actor.utf8)))
    }
}

/// Verifies a site's audit table, entry by entry.
public struct SiteAuditWalk: Sendable {
    public enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// The entry after this number is missing or out of place.
        case gap(after: UInt64)
        /// The entry with this number does not match its stored hash.
        case changed(UInt64)
        /// The table ends before the newest known entry.
        case cut(after: UInt64, newest: UInt64)
        /// A server remembers a different entry with this number.
        case replaced(UInt64)

        public var description: String {
            switch self {
            case .gap(let number): "entry \(number + 1) is missing or in the wrong place"
            case .changed(let number): "entry \(number) was changed or replaced"
            case .cut(let number, let newest): "the entries after \(number) are missing; there were \(newest)"
            case .replaced(let number):
                "entry \(number) differs from the one that this server saw; the whole table may have been rewritten"
            }
        }
    }

    public private(set) var head: AuditHead
    private let remembered: AuditHead?

    /// - Parameter remembered: A head that was seen earlier, and that the walk must pass.
    public init(remembered: AuditHead? = nil) {
        head = .start
        self.remembered = remembered
    }

    /// Begins after the entry of `head`.
    public init(behind head: AuditHead) {
        self.head = head
        remembered = nil
    }

    /// Checks the next entry against the 32-byte hash that is stored beside it.
    public mutating func take(_ entry: SiteAuditEntry, hash: [UInt8]) throws(Fault) {
        guard let next = head.next(entry.chained) else { throw .gap(after: head.number) }
        guard next.hash == hash else { throw .changed(entry.number) }
        if let remembered, remembered.number == next.number, remembered.hash != next.hash {
            throw .replaced(next.number)
        }
        head = next
    }

    /// Ends the walk. `newest` is the head that the table states.
    public func finish(newest: AuditHead) throws(Fault) {
        let last = max(newest.number, remembered?.number ?? 0)
        guard head.number >= last else { throw .cut(after: head.number, newest: last) }
        guard head.number > newest.number || head == newest else { throw .changed(head.number) }
    }
}
