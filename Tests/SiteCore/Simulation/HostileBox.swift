import SiteLink
import SiteTrust

@testable import SiteCore

/// A box of the site that an attacker has taken over. The box sends anything.
final class HostileBox: ModelBox {
    private unowned let world: SiteWorld
    let key: [UInt8]
    let address: String
    private var link: ModelLink?
    private var acts: Duration
    private var readsNothing = false
    private var seen: [ClaimedRevocation] = []
    private var lastHead: ClaimedRevocationHead?

    init(_ id: Int64, in world: SiteWorld) {
        self.world = world
        key = ServerFixture.key(Int(id))
        address = "192.0.2.\(id)"
        acts = world.now
    }

    var nextAct: Duration { acts }

    func lost(_ link: ModelLink) {
        if self.link === link { self.link = nil }
    }

    func read(_ message: MessageFromSite, on link: ModelLink) {
        switch message {
        case .entries(let entries): seen = Array((seen + entries).suffix(64))
        case .head(let head): lastHead = head
        case .wantEntries where !Bool.random(using: &world.random): link.toSite.append(.entriesEnd)
        default: break
        }
    }

    /// True if the box reads its messages.
    var reads: Bool { !readsNothing }

    func tick() throws {
        guard world.now >= acts else { return }
        acts = world.now + .milliseconds(Int.random(in: 3...40, using: &world.random) * 100)
        guard let link else { return try connect() }
        for _ in 0..<Int.random(in: 1...3, using: &world.random) {
            switch Int.random(in: 0..<14, using: &world.random) {
            case 0: return link.end()
            case 1, 2: link.toSite.append(.differs(number: .random(in: 0...10, using: &world.random)))
            case 3: link.toSite.append(.took(number: .random(in: 0 ... .max, using: &world.random)))
            case 4: link.toSite.append(.entriesEnd)
            case 5: if !seen.isEmpty { link.toSite.append(.entries(seen)) }
            case 6: if let lastHead { link.toSite.append(.head(lastHead)) }
            case 7: link.toSite.append(.entries([try forged()]))
            case 8: link.toSite.append(.hello(try hello()))
            case 9: readsNothing.toggle()
            case 10:
                if let grant = world.database.issued.randomElement(using: &world.random) {
                    link.toSite.append(.renew(grant))
                }
            case 11, 12: carry(on: link)
            default: break
            }
        }
    }

    /// Sends a carried message or the end of a carry, with a random number that may be new or used.
    private func carry(on link: ModelLink) {
        guard let number = CarryNumber(rawValue: .random(in: 1...40, using: &world.random)) else { return }
        if Int.random(in: 0..<4, using: &world.random) == 0 { return link.toSite.append(.endCarry(number)) }
        if let message = CarriedMessage(carry: number, message: [1]) { link.toSite.append(.carry(message)) }
    }

    private func connect() throws {
        readsNothing = Int.random(in: 0..<4, using: &world.random) == 0
        link = world.servers.randomElement(using: &world.random)?.open(self, code: nil, try hello())
    }

    private func hello() throws -> SiteHello {
        let numbers: [UInt64] = [0, 3, 1 << 61, .max, lastHead?.facts.number ?? 0]
        return try ServerFixture.hello(
            number: numbers.randomElement(using: &world.random) ?? 0,
            time: UInt64.random(in: 0...1, using: &world.random),
            document: .random(in: 1...9, using: &world.random), generation: .random(in: 1...2, using: &world.random))
    }

    private func forged() throws -> ClaimedRevocation {
        try ServerFixture.claimed(ServerFixture.entry(.random(in: 0...99, using: &world.random), by: .stranger))
    }
}
