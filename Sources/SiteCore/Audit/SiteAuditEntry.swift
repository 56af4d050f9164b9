import AuditLog

/// An entry of a site's audit table: who did what to whom, by numbers and ids that are hashed, and by names that are not.
///
/// Names are forgotten after `namesKept`, and the chain holds on: it never covered them.
public struct SiteAuditEntry: Sendable, Equatable {
    /// 90 days, in seconds.
    public static let namesKept: UInt64 = 90 * 86_400
    /// Longest detail, in bytes.
    public static let detailBytes = 255
    /// Longest name, in bytes.
    public static let nameBytes = 255

    public let number: UInt64
    public let unixSeconds: Int64
    /// Fixed words: `phone revoke`.
    public let event: String
    /// `root`, `boxsited`, `administrator 3, page`, `uid 1000`.
    public let actor: String
    /// `box 12`, `user` and an id, `phone` and an id, `administrator 4`; empty: the site.
    public let subject: String
    /// What a program says, and the reason that somebody gave. No program of ours writes a name here.
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

    /// What the chain covers: an entry as boxes have them (docs/reference/audit.md).
    public var chained: AuditEntry {
        AuditEntry(
            number: number, unixSeconds: unixSeconds, event: Array(event.utf8),
            user: subject.isEmpty ? nil : Array(subject.utf8), device: nil, detail: Array(detail.utf8),
            actor: AuditActor(kind: actor == "boxsited" ? .agent : .person, name: Array(actor.utf8)))
    }
}

/// Follows a site's audit table from its first entry on.
public struct SiteAuditWalk: Sendable {
    public enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// Behind this number another one is missing, or stands elsewhere.
        case gap(after: UInt64)
        /// The entry is not what was hashed.
        case changed(UInt64)
        /// The table ends before the newest entry that is known.
        case cut(after: UInt64, newest: UInt64)
        /// A server remembers another entry with this number.
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

    /// - Parameter remembered: A head that was seen earlier, and has to be on the way.
    public init(remembered: AuditHead? = nil) {
        head = .start
        self.remembered = remembered
    }

    /// A walk from the entry behind that one on.
    public init(behind head: AuditHead) {
        self.head = head
        remembered = nil
    }

    /// The next entry and the hash that stands beside it, 32 bytes.
    public mutating func take(_ entry: SiteAuditEntry, hash: [UInt8]) throws(Fault) {
        guard let next = head.next(entry.chained) else { throw .gap(after: head.number) }
        guard next.hash == hash else { throw .changed(entry.number) }
        if let remembered, remembered.number == next.number, remembered.hash != next.hash {
            throw .replaced(next.number)
        }
        head = next
    }

    /// At the end: `newest` is what the table says its head is.
    public func finish(newest: AuditHead) throws(Fault) {
        let last = max(newest.number, remembered?.number ?? 0)
        guard head.number >= last else { throw .cut(after: head.number, newest: last) }
        guard head.number > newest.number || head == newest else { throw .changed(head.number) }
    }
}
