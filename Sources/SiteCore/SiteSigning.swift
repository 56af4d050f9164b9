import SiteLink
import SiteTrust

/// With which keys a server signs at the moment, and what is said of them.
public struct SiteSigning: Sendable {
    public let terms: SiteTerms
    /// All keys that the server has.
    public private(set) var keys: IssuerKeys
    /// Those with which it signs under the pinned document.
    public private(set) var issuing: SiteIssuing
    /// For which nothing is signed, as it was logged last.
    private var unable: [IssuerRole] = []

    /// Before the time is known: nothing is over.
    init(_ terms: SiteTerms, under document: SiteDocumentFacts) {
        self.terms = terms
        keys = terms.keys
        issuing = SiteIssuing(keys, under: document, at: 0)
    }

    /// The files with keys were read again.
    mutating func take(_ found: IssuerKeys) { keys = found }

    /// The document, the keys or the time are others than before. What the log says of it; nothing changes while the time is not known.
    mutating func choose(under document: SiteDocumentFacts, at time: UInt64?) -> [SiteEffect] {
        guard let time else { return [] }
        issuing = SiteIssuing(keys, under: document, at: time)
        defer { unable = issuing.rolesUnable }
        guard issuing.rolesUnable != unable, let doubt else { return [] }
        return [.log(SiteLogLine(.error, doubt))]
    }

    /// By what credentials are held at `time`; nil: by nothing, or nobody can ask the database.
    func holding(at time: UInt64?) -> SiteHolding? { time == nil ? nil : terms.holding }

    /// For what nothing is signed, in words; nil: all is.
    var doubt: String? {
        let roles = issuing.rolesUnable.map { "\($0)" }
        guard !roles.isEmpty else { return nil }
        return
            "the site document lists no key of this server for \(roles.joined(separator: ", ")), or the key has expired"
    }

    /// Why the database's document is not taken.
    func words(of document: ClaimedSiteDocument, refused error: SiteError, beside pin: SitePin) -> String {
        "the database has a site document that this server refuses: it \(error). This server has \(pin.facts.version.text), the "
            + "database \(document.facts.version.text). If the database is right, restart boxsited"
    }

    /// What an administrator has to do soon, at `time`.
    public func alarms(under document: SiteDocumentFacts, at time: UInt64) -> [SiteAlarm] {
        SiteAlarm.all(under: document, keys, at: time)
    }

    /// What a box with that key (32 bytes) is told of itself at `time`; nil where it cannot be signed.
    func certificate(_ box: SiteBox, key: [UInt8], at time: UInt64) -> MessageFromSite? {
        guard
            let issued = try? issuing.certificate(
                number: box.number, key: key, groups: box.groups, at: time, hours: terms.certificateHours),
            let certificate = try? ClaimedSiteBoxCertificate(parsing: issued.bytes)
        else { return nil }
        return .certificate(certificate)
    }
}
