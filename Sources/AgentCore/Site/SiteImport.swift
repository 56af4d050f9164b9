import ControlProtocol
import SiteLink
import SiteTrust
import VaultPort

/// A bundle that an administrator imports in parts. Its data is verified on a copy of the trusted data. The bundle
/// takes effect only once it is complete, valid and stored (docs/decisions/037-site-link.md).
struct SiteImport: Sendable {
    let control: ControlID
    private let boxKey: [UInt8]
    /// The document that the box trusted when the first part came.
    private let basis: SitePin
    private var reader = SiteBundleReader()
    private var draft: BoxSite
    private var document: ClaimedSiteDocument?
    private var certificate: ClaimedSiteBoxCertificate?
    private var head: ClaimedRevocationHead?
    /// True once all parts have come.
    private(set) var isWhole = false

    init(control: ControlID, _ site: BoxSite, boxKey: [UInt8]) {
        self.control = control
        self.boxKey = boxKey
        basis = site.pin
        draft = site
    }

    /// Takes the next part. A part of at most `ControlLimits.bundlePartBytes` costs at most 64 signature checks.
    mutating func add(_ part: [UInt8], isLast: Bool) throws(SiteImportRefusal) {
        let messages: [MessageFromSite]
        do throws(SiteBundleError) {
            messages = try reader.add(part)
            if isLast { try reader.finish() }
        } catch {
            throw SiteImportRefusal(error)
        }
        for message in messages {
            do throws(SiteError) { try take(message) } catch { throw SiteImportRefusal(message, error) }
        }
        isWhole = isLast
    }

    private mutating func take(_ message: MessageFromSite) throws(SiteError) {
        var tally = SignatureTally()
        switch message {
        case .document(let claimed):
            _ = try draft.take(claimed, tally: &tally)
            document = claimed
        // Certificates of other boxes are ignored.
        case .certificate(let claimed): if claimed.facts.boxKey == boxKey { certificate = claimed }
        case .entries(let entries):
            for entry in entries {
                do throws(SiteError) {
                    _ = try draft.take(entry, tally: &tally)
                } catch {
                    // Skip entries that this box cannot verify. As on a link, the signed status does not cover them.
                    switch error {
                    case .unknownIssuer, .wrongRole, .olderGeneration: continue
                    default: throw error
                    }
                }
            }
        case .head(let claimed): head = claimed
        default: throw .invalidField
        }
    }

    /// Returns the result of the bundle, given the data that the box trusts now. The write is nil if nothing is new.
    func outcome(
        on belief: SiteBelief, at now: BootClock
    ) throws(SiteImportRefusal) -> (write: (SiteWrite, SiteChange)?, report: SiteImportListing) {
        guard belief.site.pin == basis else { throw .overtaken }
        var (new, change, report, tally) = (belief.site, SiteChange(), SiteImportListing(), SignatureTally())
        if let document {
            try Self.judging(.document(document)) { () throws(SiteError) in
                let effect = try new.take(document, tally: &tally)
                if effect != .none { change.document = new.pin.bytes }
                change.beginsGeneration = effect == .newGeneration
                try new.take(entriesOf: draft)
            }
        }
        var hasHead = false
        if let head {
            try Self.judging(.head(head)) { () throws(SiteError) in
                hasHead = try new.take(carried: head, at: now, tally: &tally)
            }
        }
        var write = SiteWrite(site: new, hasHead: hasHead)
        write.certificate = try newCertificate(beside: belief.certificate, new, at: now, &report)
        change.certificate = write.certificate?.kept
        let old = change.beginsGeneration ? RevocationSet() : belief.site.revocations
        change.added = new.revocations.subtracting(old).map(\.bytes)
        change.dropped = old.subtracting(new.revocations).map(\.bytes)
        write.hasEntries = !change.added.isEmpty
        report.isNews = change != SiteChange() || hasHead
        report.entriesAdded = UInt64(change.added.count)
        report.describe(new, at: now)
        guard report.isNews else { return (nil, report) }
        if hasHead {
            change.head = new.head?.bytes
            write.hours = new.allowance.due(at: now)
            change.hours = write.hours?.kept
            change.time = new.time.record(at: now)?.kept
        }
        write.next = .answer(control, report)
        return ((write, change), report)
    }

    /// Returns the bundle's certificate for this box, if it must replace the current one.
    private func newCertificate(
        beside held: SiteBoxCertificate, _ site: BoxSite, at now: BootClock, _ report: inout SiteImportListing
    ) throws(SiteImportRefusal) -> SiteBoxCertificate? {
        report.certificateExpiry = held.facts.expiry
        guard let certificate else { return nil }
        // Phones do not trust the current certificate if its issuer was removed.
        let isListed = site.pin.facts.issuer(key: held.issuerKey) != nil
        guard certificate.bytes != held.bytes, certificate.facts.expiry > held.facts.expiry || !isListed else {
            return nil
        }
        if let time = site.seconds(at: now), certificate.facts.expiry <= time { return nil }
        var tally = SignatureTally()
        var new: SiteBoxCertificate?
        try Self.judging(.certificate(certificate)) { () throws(SiteError) in
            new = try certificate.verify(site.pin, boxKey: boxKey, at: site.seconds(at: now), tally: &tally)
        }
        report.hasCertificate = true
        report.certificateExpiry = certificate.facts.expiry
        return new
    }

    private static func judging(
        _ message: MessageFromSite, _ body: () throws(SiteError) -> Void
    ) throws(SiteImportRefusal) {
        do throws(SiteError) { try body() } catch { throw SiteImportRefusal(message, error) }
    }
}

extension SiteImportListing {
    fileprivate mutating func describe(_ site: BoxSite, at now: BootClock) {
        documentVersion = site.pin.facts.version.text
        generation = site.pin.facts.generation.text
        if let head = site.head?.facts {
            headNumber = head.number
            let time = site.seconds(at: now) ?? head.time
            headAgeSeconds = time > head.time ? time - head.time : 0
        }
        hoursLeft = UInt64(site.allowance.hoursLeft(at: now))
        hoursLimit = UInt64(site.allowance.limit)
    }
}
