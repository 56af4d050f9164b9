import SiteLink
import SiteTrust

/// A site's signed data for boxes that are cut off from it (docs/decisions/037-site-link.md): the document, all
/// entries, and the status that counts them.
public struct SiteBundleStem: Sendable {
    /// The highest age of a bundle's status, in seconds. The offline allowance of boxes begins at the status's time.
    private static let headAge: UInt64 = 120

    public let document: MessageFromSite
    public let entries: [MessageFromSite]
    public let head: MessageFromSite
    /// The version of the document. Certificates under another document would not be valid under this one.
    private let version: SiteOrdinal

    /// Returns nil if nothing is signed at the moment, or if a newer status is about to be signed.
    public init?(_ server: SiteServerMachine, now: Duration) {
        let (heads, pin) = (server.heads, server.pin)
        guard let time = server.seconds(now: now), !server.repair.isNeeded, let newest = heads.current,
            newest.facts.document == pin.facts.version, newest.facts.time + Self.headAge >= time,
            let claimed = try? ClaimedRevocationHead(parsing: newest.bytes)
        else { return nil }
        var (batches, place): ([MessageFromSite], UInt64) = ([], 0)
        while let batch = heads.log.batch(after: place, limit: MessageToSite.entryLimit) {
            batches.append(.entries(batch.entries))
            place = batch.place
        }
        (document, entries, head) = (.document(pin.document.claimed), batches, .head(claimed))
        version = pin.facts.version
    }

    /// Returns certificates for those of `boxes` that the site serves. They are valid as long as those that a link
    /// sends. Returns nil if the document has changed, or if nothing is signed.
    public func certificates(for boxes: [SiteBox], by server: SiteServerMachine, now: Duration) -> [MessageFromSite]? {
        guard server.pin.facts.version == version, let time = server.seconds(now: now) else { return nil }
        var certificates: [MessageFromSite] = []
        for box in boxes where box.state == .joined {
            guard let key = box.key, server.heads.log.set.entry(coveringBox: key) == nil else { continue }
            guard let certificate = server.signing.certificate(box, key: key, at: time) else { return nil }
            certificates.append(certificate)
        }
        return certificates
    }
}
