import Glibc
import Secrets
import SiteLink
import SiteTrust

/// The state of one box, and its answers. The box's key is made on demand, because a key's guarded memory takes four
/// mappings, and a process may have only 65,530.
struct LoadBox {
    private let index: Int
    private let isFull: Bool
    private let root: [UInt8]
    private let path: String
    private var site: BoxSite?
    private var number: UInt64 = 0

    init(_ index: Int, isFull: Bool, root: [UInt8], directory: String) {
        self.index = index
        self.isFull = isFull
        self.root = root
        path = "\(directory)/box\(index)"
    }

    /// Nil before the greeting.
    var siteID: SiteID? { site?.pin.site }

    /// Returns the bytes to send, or nil if the link must be closed.
    mutating func handle(_ event: SiteBoxEvent, _ end: SiteBoxEnd, now: Duration) -> [[UInt8]]? {
        switch event {
        case .greeted(let greeting):
            return believe(greeting)
                ? end.shake(serverKey: greeting.certificate.serverKey, staticKey: LoadKeys.pair(index)).map { [$0] }
                : nil
        case .established: return hello(end, now)
        case .said(.entries(let entries)) where isFull: return take(entries) ? [] : nil
        case .said(.head(let head)):
            defer { number = head.facts.number }
            guard isFull else { return [] }
            guard take(head, now) else { return nil }
            return number == head.facts.number ? [] : end.seal(.took(number: head.facts.number), now: now).map { [$0] }
        case .said(.refused), .ended: return nil
        case .said: return []
        }
    }

    private mutating func believe(_ greeting: SiteGreeting) -> Bool {
        var tally = SignatureTally()
        if site == nil {
            guard let pin = try? SitePin(root: root, document: greeting.document, tally: &tally) else { return false }
            site = BoxSite(pin: pin)
        }
        guard isFull, let site else { return true }
        return (try? greeting.certificate.verify(site.pin, at: nil, tally: &tally)) != nil
    }

    private func hello(_ end: SiteBoxEnd, _ now: Duration) -> [[UInt8]]? {
        guard let facts = site?.pin.facts,
            let hello = try? SiteHello(
                document: facts.version, generation: facts.generation,
                number: isFull ? site?.head?.facts.number ?? 0 : number,
                time: site?.head?.facts.time ?? 0, program: Array("site-load".utf8))
        else { return nil }
        return end.seal(.hello(hello), now: now).map { [$0] }
    }

    private mutating func take(_ entries: [ClaimedRevocation]) -> Bool {
        var tally = SignatureTally()
        for entry in entries where (try? site?.take(entry, tally: &tally)) == nil { return false }
        return true
    }

    /// Verifies a signed status. The status is durable before it counts.
    private mutating func take(_ head: ClaimedRevocationHead, _ now: Duration) -> Bool {
        var tally = SignatureTally()
        guard let clock = BootClock(boot: [UInt8](repeating: 1, count: 16), seconds: UInt64(now.components.seconds)),
            (try? site?.take(head, at: clock, tally: &tally)) != nil
        else { return false }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, head.bytes, head.bytes.count) == head.bytes.count && fdatasync(file) == 0
    }
}
