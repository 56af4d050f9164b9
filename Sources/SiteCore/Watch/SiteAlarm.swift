import SiteTrust

/// A task that an administrator must do soon, while the server still signs.
public enum SiteAlarm: Sendable, Equatable {
    /// No issuer signs in these roles from `expiry` on.
    case ends([IssuerRole], expiry: UInt64, days: UInt64)
    /// The document lists issuers whose keys this server lacks.
    case lacks([SiteIssuer])
    case suspended(Int)
    /// This many boxes have not been linked to any server for more than this many days.
    case silent(Int, days: Int)
    /// This many linked boxes run an older version than this server.
    case outdated(Int)
    /// A box has this site document, which is newer than the site's.
    case document(SiteOrdinal)
    /// The database's clock is this many seconds ahead of this server's own, or behind it if negative.
    case clock(Int64)
    /// Wrong PINs have lately destroyed this many passwords, which were not stored again.
    case wiped(Int)
    /// This many boxes have reached their daily limit of codes for self-enrolment.
    case selfEnrolments(boxes: Int)
    /// The database has no synchronous standby, although another PostgreSQL can take over.
    case standby(StandbyState)
    /// The database has stored no change for so many seconds.
    case writes(String, seconds: Int64)
    case directory(DirectoryAlarm)
    /// For a while, connections without a box's key have had no place. Most come from this network.
    case crowded(mostFrom: String?)
    /// The audit table does not go on from the newest entry that this server has accepted.
    case audit(SiteAuditWalk.Fault)

    /// The time before an issuer's expiry at which the alarm begins, in seconds: 60 days of 400.
    static let notice: UInt64 = 60 * 86_400

    /// Returns the alarms about issuers at `time`.
    static func all(
        under document: SiteDocumentFacts, _ keys: IssuerKeys, at time: UInt64
    ) -> [SiteAlarm] {
        var alarms: [SiteAlarm] = []
        var ends: [(expiry: UInt64, roles: [IssuerRole])] = []
        for role in IssuerRole.allCases {
            let last = document.issuers.filter { $0.role == role }.map(\.expiry).max() ?? 0
            guard last <= time + notice else { continue }
            if let index = ends.firstIndex(where: { $0.expiry == last }) {
                ends[index].roles.append(role)
            } else {
                ends.append((last, [role]))
            }
        }
        for end in ends.sorted(by: { $0.expiry < $1.expiry }) {
            let left = end.expiry > time ? end.expiry - time : 0
            alarms.append(.ends(end.roles, expiry: end.expiry, days: left / 86_400))
        }
        let lacking = keys.lacking(under: document, at: time)
        if !lacking.isEmpty { alarms.append(.lacks(lacking)) }
        return alarms
    }

    /// The problem, and what to do about it.
    public var text: String {
        switch self {
        case .ends(let roles, _, let days):
            "the site's keys for \(Self.list(roles)) \(days > 0 ? "expire in \(days) days" : "have expired, or expire today"): "
                + "make new keys with boxsite issuers new, and have the root list them (/usr/share/doc/boxsite/how-to/run-a-site.md, "
                + "Replace the issuers each year)"
        case .lacks(let issuers):
            "this server lacks the keys of these listed issuers: "
                + issuers.map { "\($0.keyID.text) (\($0.role))" }.joined(separator: ", ")
                + "; copy issuers.key and issuers-2.key from the server that has them; this server reads them within 10 s"
        case .suspended(let count):
            "\(count == 1 ? "a box is" : "\(count) boxes are") suspended (see boxsite box list), because two machines have the same key: find "
                + "the second machine, then run boxsite box unsuspend NUMBER (/usr/share/doc/boxsite/how-to/run-a-site.md, Unsuspend a copied box)"
        case .directory(let alarm): alarm.text
        case .silent(let count, let days):
            "\(count == 1 ? "a box has" : "\(count) boxes have") not linked to the site for over \(days) days: boxsite box list "
                + "shows when they were last seen; bring them back, or remove them (/usr/share/doc/boxsite/how-to/run-a-site.md, Look after the site)"
        case .outdated(let count):
            "\(count == 1 ? "a linked box runs" : "\(count) linked boxes run") an older version than this server: boxsite "
                + "box list shows them; update boxagent there"
        case .document(let version):
            "a box has site document \(version.text), which is newer than this site's: the database was restored from an older backup; "
                + "publish that document again with boxsite document publish (/usr/share/doc/boxsite/how-to/site-emergencies.md, The database was lost)"
        case .clock(let seconds):
            "the database's clock is \(seconds.magnitude) seconds \(seconds < 0 ? "behind" : "ahead of") this server's: set both by NTP; "
                + "beyond \(SiteClock.tolerance) seconds, signing stops"
        case .wiped(let count):
            "\(count == 1 ? "a password was" : "\(count) passwords were") destroyed by wrong PINs in the last \(SiteSurvey.wipeDays) days, and "
                + "not stored again: boxsite audit list shows whose and where (credential wiped); ask those users whether it was them"
        case .selfEnrolments(let count):
            "\(count == 1 ? "a box has" : "\(count) boxes have") asked within a day for as many codes as box_per_day allows: boxsite audit "
                + "list shows which, and for whom (self enrol); if this is unexpected, remove the box and revoke those phones"
        case .standby(let state):
            "the database has no synchronous standby, so acknowledged changes may be lost when another PostgreSQL takes over: "
                + (state.allowsChanges
                    ? "accept_loss allows that; set synchronous_standby_names there, and remove accept_loss"
                    : "changes are refused until synchronous_standby_names is set there (/usr/share/doc/boxsite/how-to/run-a-site.md, Add a standby database)")
        case .writes(let problem, let seconds):
            "no change could be stored for \(seconds) seconds, so nothing can be added or revoked: \(problem)"
        case .crowded(let network):
            "connections that show no box's key take all places for such, so boxes may have to try again: "
                + "most came from \(network ?? "many networks"); block it in the firewall unless boxes are there"
        case .audit(let fault):
            "the audit table differs from what this server saw: \(fault). Unless you restored a backup or promoted an outdated standby, someone has changed it: keep the "
                + "journal and a copy of the database (/usr/share/doc/boxsite/how-to/run-a-site.md, Read the audit log)"
        }
    }

    private static func list(_ roles: [IssuerRole]) -> String { roles.map { "\($0)" }.joined(separator: ", ") }

    /// Returns whether an administrator who has read `old` today learns nothing new from this alarm.
    func saysNoMore(than old: SiteAlarm) -> Bool {
        switch (self, old) {
        case (.ends(let roles, let expiry, _), .ends(let others, let otherExpiry, _)):
            roles == others && expiry == otherExpiry
        // The values in these alarms go up and down by themselves, so a change is not news.
        case (.silent, .silent), (.outdated, .outdated), (.document, .document), (.clock, .clock),
            (.directory(.silent), .directory(.silent)), (.crowded, .crowded),
            (.directory(.unclear), .directory(.unclear)):
            true
        case (.writes(let problem, _), .writes(let other, _)): problem == other
        case (.wiped(let count), .wiped(let other)),
            (.selfEnrolments(let count), .selfEnrolments(let other)):
            count <= other
        default: self == old
        }
    }

    /// The subject of the alarm, for metrics.
    public enum Kind: String, Sendable, CaseIterable {
        case issuers, suspended, silent, outdated, document, clock, wiped, standby, writes, directory, audit, crowded
        case keyMissing = "key_missing"
        case selfEnrolments = "self_enrolments"
    }

    public var kind: Kind {
        switch self {
        case .ends: .issuers
        case .lacks: .keyMissing
        case .suspended: .suspended
        case .silent: .silent
        case .outdated: .outdated
        case .document: .document
        case .clock: .clock
        case .wiped: .wiped
        case .selfEnrolments: .selfEnrolments
        case .standby: .standby
        case .writes: .writes
        case .directory: .directory
        case .audit: .audit
        case .crowded: .crowded
        }
    }
}

extension StandbyState {
    /// The alarm for an administrator, or nil if there is nothing to do.
    public var alarm: SiteAlarm? {
        switch self {
        case .notNeeded, .named: nil
        case .missing, .lossAccepted: .standby(self)
        }
    }
}
