import SiteLink
import SiteTrust

/// The keys with which a server signs at present, and the messages about them.
public struct SiteSigning: Sendable {
    public let terms: SiteTerms
    /// All keys of the server.
    public private(set) var keys: IssuerKeys
    /// The keys with which the server signs under the pinned document.
    public private(set) var issuing: SiteIssuing
    /// The roles without a key, as last logged.
    private var unable: [IssuerRole] = []

    /// The time is not known yet, so no key counts as expired.
    init(_ terms: SiteTerms, under document: SiteDocumentFacts) {
        self.terms = terms
        keys = terms.keys
        issuing = SiteIssuing(keys, under: document, at: 0)
    }

    /// Takes the keys of files that were read again.
    mutating func take(_ found: IssuerKeys) { keys = found }

    /// Chooses keys after a change of document, keys or time, if the time is known. Returns lines for the log.
    mutating func choose(under document: SiteDocumentFacts, at time: UInt64?) -> [SiteEffect] {
        guard let time else { return [] }
        issuing = SiteIssuing(keys, under: document, at: time)
        defer { unable = issuing.rolesUnable }
        guard issuing.rolesUnable != unable, let doubt else { return [] }
        return [.log(SiteLogLine(.error, doubt))]
    }

    /// Returns the means to hold credentials at `time`, or nil if there are none or the database cannot be asked.
    func holding(at time: UInt64?) -> SiteHolding? { time == nil ? nil : terms.holding }

    /// The roles in which nothing is signed, in words, or nil if there is a key for each.
    var doubt: String? {
        let roles = issuing.rolesUnable.map { "\($0)" }
        guard !roles.isEmpty else { return nil }
        return
            "the site document lists no key of this server for \(roles.joined(separator: ", ")), or the key has expired"
    }

    /// Returns why the database's document is refused, in words.
    func words(of document: ClaimedSiteDocument, refused error: SiteError, beside pin: SitePin) -> String {
        "the database has a site document that this server refuses: it \(error). This server has \(pin.facts.version.text), the "
            + "database \(document.facts.version.text). If the database is right, restart boxsited"
    }

    /// Returns the alarms about the document's issuers at `time`.
    public func alarms(under document: SiteDocumentFacts, at time: UInt64) -> [SiteAlarm] {
        SiteAlarm.all(under: document, keys, at: time)
    }

    /// Returns the certificate for a box with that key (32 bytes) at `time`, or nil if it cannot be signed.
    func certificate(_ box: SiteBox, key: [UInt8], at time: UInt64) -> MessageFromSite? {
        guard
            let issued = try? issuing.certificate(
                number: box.number, key: key, groups: box.groups, at: time, hours: terms.certificateHours),
            let certificate = try? ClaimedSiteBoxCertificate(parsing: issued.bytes)
        else { return nil }
        return .certificate(certificate)
    }
}
