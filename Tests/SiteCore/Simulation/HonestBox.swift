import SiteLink
import SiteTrust

@testable import SiteCore

/// A box that follows docs/reference/site-protocol.md.
final class HonestBox: ModelBox {
    private unowned let world: SiteWorld
    let id: Int64
    let key: [UInt8]
    let address: String
    private(set) var site: BoxSite
    private(set) var link: ModelLink?
    /// The join code of a box that has not joined yet.
    var code: [UInt8]?
    /// True after the site has refused the box for good, or no longer knows it.
    private(set) var isOut = false
    private(set) var differences = 0
    /// The time of the next try to link, or nil while the box is linked or off.
    var retryAt: Duration?

    init(_ id: Int64, in world: SiteWorld, code: [UInt8]? = nil) throws {
        self.world = world
        self.id = id
        self.code = code
        key = ServerFixture.key(Int(id))
        address = "192.0.2.\(id)"
        site = BoxSite(pin: try ServerFixture.pin(world.database.document))
        retryAt = world.now
    }

    func tick() throws {
        guard link == nil, !isOut, let retryAt, world.now >= retryAt else { return }
        self.retryAt = nil
        let head = site.head?.facts
        let hello = try SiteHello(
            document: site.pin.facts.version, generation: site.pin.facts.generation, number: head?.number ?? 0,
            time: head?.time ?? 0, program: Array("boxagentd".utf8))
        guard let server = world.servers.randomElement(using: &world.random) else { return }
        // In the real protocol, the greeting brings the document.
        try take(ServerFixture.claimed(server.machine.pin.document))
        link = server.open(self, code: code, hello)
    }

    func lost(_ link: ModelLink) {
        guard self.link === link else { return }
        self.link = nil
        if retryAt == nil { retryAt = world.now + .milliseconds(Int.random(in: 5...30, using: &world.random) * 100) }
    }

    func goOff() {
        link?.end()
        retryAt = nil
    }

    func read(_ message: MessageFromSite, on link: ModelLink) {
        do {
            switch message {
            case .certificate:
                if code != nil { code = nil }
            case .entries(let entries):
                var tally = SignatureTally()
                for entry in entries { _ = try site.take(entry, tally: &tally) }
            case .head(let head): try take(head, on: link)
            case .document(let document): try take(document)
            case .wantEntries: upload(on: link)
            case .refused(.notNow): break
            case .refused: isOut = true
            case .servers, .grant, .carried, .carryEnded, .held, .selfEnrolment: break
            }
        } catch {
            world.check(false, "box \(id) refuses \(message.bytes[0]): \(error)")
        }
    }

    private func take(_ document: ClaimedSiteDocument) throws {
        guard document.facts.version > site.pin.facts.version else { return }
        var tally = SignatureTally()
        _ = try site.take(document, tally: &tally)
    }

    private func take(_ head: ClaimedRevocationHead, on link: ModelLink) throws {
        var tally = SignatureTally()
        do throws(SiteError) {
            _ = try site.take(head, at: world.bootClock, tally: &tally)
            link.toSite.append(.took(number: head.facts.number))
        } catch .setDiffers {
            differences += 1
            link.toSite.append(.differs(number: head.facts.number))
        }
    }

    private func upload(on link: ModelLink) {
        let entries = site.revocations.entries
        for start in stride(from: 0, to: entries.count, by: MessageToSite.entryLimit) {
            let part = entries[start..<min(start + MessageToSite.entryLimit, entries.count)]
            link.toSite.append(.entries(part.compactMap { try? ServerFixture.claimed($0) }))
        }
        if let head = site.head, let claimed = try? ClaimedRevocationHead(parsing: head.bytes) {
            link.toSite.append(.head(claimed))
        }
        link.toSite.append(.entriesEnd)
    }
}
