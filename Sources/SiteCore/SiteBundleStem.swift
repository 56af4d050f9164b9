import SiteLink
import SiteTrust

/// What a site has signed, for boxes that are cut off from it: the document, all entries, and the head that counts them
/// (docs/decisions/037-site-link.md).
public struct SiteBundleStem: Sendable {
    /// Oldest head that goes into a bundle, in seconds: boxes count their hours from it.
    private static let headAge: UInt64 = 120

    public let document: MessageFromSite
    public let entries: [MessageFromSite]
    public let head: MessageFromSite
    /// Certificates of a time with another document would not be believed by this one.
    private let version: SiteOrdinal

    /// Nil: nothing is signed at the moment, or a newer head is about to be.
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

    /// Certificates for those of `boxes` that the site serves, as on a link: each lives as long from now on. Nil: the document is
    /// over, or nothing is signed.
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
