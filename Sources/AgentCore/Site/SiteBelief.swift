import ControlProtocol
import PhoneMessages
import SiteLink
import SiteTrust
import VaultPort

/// The data that a box trusts about its site, and how much of it is stored.
struct SiteBelief: Sendable {
    var site: BoxSite
    var certificate: SiteBoxCertificate
    /// The most revocations in one message to a phone.
    private static let entriesInMessage = 7

    var servers: [SiteAddress]
    /// The number of the stored signed status of this generation.
    var writtenNumber: UInt64?

    init(site: BoxSite, certificate: SiteBoxCertificate, servers: [SiteAddress]) {
        self.site = site
        self.certificate = certificate
        self.servers = servers
        writtenNumber = site.head?.facts.number
    }

    /// Restores the data from the vault.
    init(_ kept: StoredSite, now: BootClock) throws(SiteError) {
        let site = try BoxSite(kept, now: now)
        let certificate = try SiteBoxCertificate(kept: kept.certificate.bytes, issuerKey: kept.certificate.issuerKey)
        let servers = kept.servers.compactMap { SiteAddress($0) }
        guard !servers.isEmpty else { throw .invalidField }
        self.init(site: site, certificate: certificate, servers: servers)
    }

    /// Applies data that was written. Returns whether a new generation begins.
    mutating func adopt(_ write: SiteWrite) -> Bool {
        let isNewGeneration = write.site.pin.facts.generation > site.pin.facts.generation
        site = write.site
        if let new = write.certificate { certificate = new }
        if let new = write.servers { servers = new }
        if let hours = write.hours { site.wrote(hours) }
        if isNewGeneration { writtenNumber = nil }
        if write.hasHead { writtenNumber = site.head?.facts.number }
        return isNewGeneration
    }

    /// Returns the box's first message on a link.
    func hello(_ box: SiteBox) throws(SiteLinkError) -> SiteHello {
        let facts = site.pin.facts
        return try SiteHello(
            document: facts.version, generation: facts.generation, number: site.head?.facts.number ?? 0,
            time: site.head?.facts.time ?? 0, program: box.program)
    }

    /// Returns the data that a user's phone lacks: at most a document, a signed status, and 32 entries.
    func news(for question: SiteNewsQuestion, of user: SiteUserID?) -> [(SiteNewsKind, [UInt8])] {
        var news: [(SiteNewsKind, [UInt8])] = []
        let isBehind = question.document < site.pin.facts.version
        if isBehind { news.append((.document, site.pin.bytes)) }
        // Send the status with every newer document: numbers and times of different generations cannot be compared.
        if let head = site.head, isBehind || question.lacks(head) { news.append((.head, head.bytes)) }
        let lacking = question.lacking(of: site.revocations, document: site.pin.facts, user: user)
        for start in stride(from: 0, to: lacking.count, by: Self.entriesInMessage) {
            news.append((.entries, lacking[start...].prefix(Self.entriesInMessage).flatMap(\.self)))
        }
        return news
    }

    /// All entries in full batches, followed by the signed status over them.
    var ownEntries: [MessageToSite] {
        var batches: [MessageToSite] = []
        var batch: [ClaimedRevocation] = []
        for entry in site.revocations.entries {
            // Parsing does not fail, because verified entries are well-formed.
            if let claimed = try? ClaimedRevocation(parsing: entry.bytes) { batch.append(claimed) }
            guard batch.count == MessageToSite.entryLimit else { continue }
            batches.append(.entries(batch))
            batch = []
        }
        if !batch.isEmpty { batches.append(.entries(batch)) }
        if let bytes = site.head?.bytes, let head = try? ClaimedRevocationHead(parsing: bytes) {
            batches.append(.head(head))
        }
        return batches + [.entriesEnd]
    }
}

/// A write in progress, and the data that takes effect after it.
struct SiteWrite: Sendable {
    enum Next: Sendable {
        case nothing
        /// The greeting was accepted, and its document was newer.
        case shake(SiteLinkID, SiteAddress, serverKey: [UInt8])
        /// A phone showed the document.
        case show(ChannelID)
        /// The data came in a bundle.
        case answer(ControlID, SiteImportListing)
    }

    var site: BoxSite
    var certificate: SiteBoxCertificate?
    var servers: [SiteAddress]?
    var hours: OfflineAllowance.Record?
    /// True if the write contains the site's signed status.
    var hasHead = false
    /// True if the signed status is fresh.
    var isFresh = false
    /// True if the write contains entries, which may revoke phones.
    var hasEntries = false
    var next = Next.nothing
}
