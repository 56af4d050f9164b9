import ControlProtocol
import PhoneMessages
import SiteLink
import SiteTrust
import VaultPort

/// What a box believes of its site, and which of it is on disk.
struct SiteBelief: Sendable {
    var site: BoxSite
    var certificate: SiteBoxCertificate
    /// Of revoked boxes that a phone is told in one message.
    private static let entriesInMessage = 7

    /// Where the site's servers listen.
    var servers: [SiteAddress]
    /// The number of the head that is on disk, of this generation.
    var writtenNumber: UInt64?

    init(site: BoxSite, certificate: SiteBoxCertificate, servers: [SiteAddress]) {
        self.site = site
        self.certificate = certificate
        self.servers = servers
        writtenNumber = site.head?.facts.number
    }

    /// Reads back what was kept.
    init(_ kept: StoredSite, now: BootClock) throws(SiteError) {
        let site = try BoxSite(kept, now: now)
        let certificate = try SiteBoxCertificate(kept: kept.certificate.bytes, issuerKey: kept.certificate.issuerKey)
        let servers = kept.servers.compactMap { SiteAddress($0) }
        guard !servers.isEmpty else { throw .invalidField }
        self.init(site: site, certificate: certificate, servers: servers)
    }

    /// What was written counts from now on; whether a generation begins with it.
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

    /// What the box says first.
    func hello(_ box: SiteBox) throws(SiteLinkError) -> SiteHello {
        let facts = site.pin.facts
        return try SiteHello(
            document: facts.version, generation: facts.generation, number: site.head?.facts.number ?? 0,
            time: site.head?.facts.time ?? 0, program: box.program)
    }

    /// What a phone of that user lacks: at most a document, a head, and 32 entries.
    func news(for question: SiteNewsQuestion, of user: SiteUserID?) -> [(SiteNewsKind, [UInt8])] {
        var news: [(SiteNewsKind, [UInt8])] = []
        let isBehind = question.document < site.pin.facts.version
        if isBehind { news.append((.document, site.pin.bytes)) }
        // Of another generation, numbers and times say nothing.
        if let head = site.head, isBehind || question.lacks(head) { news.append((.head, head.bytes)) }
        let lacking = question.lacking(of: site.revocations, document: site.pin.facts, user: user)
        for start in stride(from: 0, to: lacking.count, by: Self.entriesInMessage) {
            news.append((.entries, lacking[start...].prefix(Self.entriesInMessage).flatMap(\.self)))
        }
        return news
    }

    /// All entries, in full batches, and the head over them.
    var ownEntries: [MessageToSite] {
        var batches: [MessageToSite] = []
        var batch: [ClaimedRevocation] = []
        for entry in site.revocations.entries {
            // What was verified is well-formed.
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

/// What the vault is writing, and what counts once it has.
struct SiteWrite: Sendable {
    enum Next: Sendable {
        case nothing
        /// The greeting was believed; its document was newer.
        case shake(SiteLinkID, SiteAddress, serverKey: [UInt8])
        /// A phone showed the document.
        case show(ChannelID)
        /// It came in a bundle.
        case answer(ControlID, SiteImportListing)
    }

    var site: BoxSite
    var certificate: SiteBoxCertificate?
    var servers: [SiteAddress]?
    var hours: OfflineAllowance.Record?
    /// The site's head is among what is written.
    var hasHead = false
    /// And a fresh one.
    var isFresh = false
    /// Entries are among what is written: they may take phones back.
    var hasEntries = false
    var next = Next.nothing
}
