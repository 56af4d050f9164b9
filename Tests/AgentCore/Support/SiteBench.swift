import ControlProtocol
import Secrets
import SiteLink
import SiteTrust
import Testing
import VaultPort

@testable import AgentCore

/// A site with fixed keys, whose documents are signed as a site's servers would sign them.
enum ModelSite {
    static let start: UInt64 = 1_800_000_000
    static let day: UInt64 = 86_400

    /// The signers. Each raw value fills the bytes of the signer's seed.
    enum Signer: UInt8 {
        case root = 1
        case nextRoot = 2
        case boxes = 11
        case phones = 12
        case revocations = 13
        case servers = 14
        case stranger = 99
    }

    static func key(_ signer: Signer) -> Ed25519KeyPair {
        do {
            return try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: signer.rawValue, count: 32)))
        } catch {
            preconditionFailure("a seed of 32 bytes")
        }
    }

    static func x25519(_ fill: UInt8) -> [UInt8] {
        do {
            return try X25519KeyPair(privateKey: SecretBytes(copying: [UInt8](repeating: fill, count: 32))).publicKey
        } catch {
            preconditionFailure("a private key of 32 bytes")
        }
    }

    static let boxKey = x25519(22)
    static let serverKey = x25519(30)
    static let address = [UInt8]("192.0.2.10:4711".utf8)
    static let other = [UInt8]("192.0.2.11:4711".utf8)

    static func ordinal(_ count: UInt32) -> SiteOrdinal {
        guard let ordinal = SiteOrdinal(root: 1, count: count) else { preconditionFailure("numbers from 1 on") }
        return ordinal
    }

    static func document(
        _ version: UInt32 = 3, generation: UInt32 = 1, root: Signer = .root, phones: Signer = .phones
    ) throws -> ClaimedSiteDocument {
        let issuers = try [
            (Signer.boxes, IssuerRole.boxes), (phones, .phones), (.revocations, .revocations), (.servers, .servers),
        ].map {
            try #require(SiteIssuer(role: $0.1, key: key($0.0).publicKey, expiry: start + 400 * day))
        }
        let facts = try SiteDocumentFacts(
            site: SiteID(firstRoot: key(root).publicKey), version: ordinal(version), generation: ordinal(generation),
            rootKey: key(root).publicKey, nextRootHash: SHA256.hash(key(.nextRoot).publicKey), issuers: issuers)
        return try ClaimedSiteDocument(parsing: SiteDocument.sign(facts, root: key(root)).bytes)
    }

    static func site(of root: Signer = .root) -> SiteID { SiteID(firstRoot: key(root).publicKey) }

    static func greeting(
        _ document: ClaimedSiteDocument? = nil, by signer: Signer = .servers, expiry: UInt64 = start + 90 * day,
        root: Signer = .root
    ) throws -> SiteGreeting {
        let server = try SiteServerCertificate.issue(
            serverKey: serverKey, expiry: expiry, site: site(of: root), issuer: key(signer))
        let shown = try document ?? Self.document(root: root)
        return try SiteGreeting(parsing: [SiteGreeting.version] + server.bytes + shown.bytes)
    }

    static func certificate(
        boxKey: [UInt8] = boxKey, expiry: UInt64 = start + day, by signer: Signer = .boxes
    ) throws -> ClaimedSiteBoxCertificate {
        let groups = try #require(SiteGroups([1, 7]))
        let facts = try BoxFacts(boxID: [UInt8]("004711".utf8), boxKey: boxKey, groups: groups, expiry: expiry)
        let issued = try SiteBoxCertificate.issue(facts, site: site(), issuer: key(signer))
        return try ClaimedSiteBoxCertificate(parsing: issued.bytes)
    }

    static func entry(
        _ number: UInt8, expiry: UInt64 = start + 30 * day, generation: UInt32 = 1, by signer: Signer = .revocations
    ) throws -> ClaimedRevocation {
        let facts = try RevocationFacts(
            subject: .phone(key: [UInt8](repeating: number, count: 32)), expiry: expiry, generation: ordinal(generation)
        )
        return try ClaimedRevocation(
            parsing: SiteTrust.Revocation.sign(facts, site: site(), issuer: key(signer)).bytes)
    }

    static func head(
        _ number: UInt64, of entries: [ClaimedRevocation] = [], time: UInt64 = start, generation: UInt32 = 1,
        document version: UInt32 = 3, by signer: Signer = .revocations
    ) throws -> ClaimedRevocationHead {
        var set = RevocationSet()
        for entry in entries { _ = try set.insert(SiteTrust.Revocation(kept: entry.bytes)) }
        let facts = try HeadFacts(
            generation: ordinal(generation), number: number, document: ordinal(version),
            setHash: set.hash(at: time, document: try document(version, generation: generation).facts), time: time)
        return try ClaimedRevocationHead(
            parsing: RevocationHead.sign(facts, site: site(), issuer: key(signer)).bytes)
    }

    static func code(_ servers: [[UInt8]] = [address], root: Signer = .root) throws -> HeldSecret {
        // `#require` cannot take the code, because a code cannot be copied.
        guard
            let code = JoinCode(
                rootKey: key(root).publicKey, codeID: [UInt8](repeating: 8, count: 8),
                secret: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
                servers: servers.compactMap { SiteAddress($0) })
        else { throw SiteError.invalidField }
        return HeldSecret(code.format())
    }

    static let box = SiteBox(
        publicKey: boxKey, boot: [UInt8](repeating: 1, count: 16), program: [UInt8]("boxagentd 0.1.0".utf8), random: 7)
}

/// The component for site membership, with a vault that answers at once or when the test lets it.
struct SiteBench {
    var bench = Bench()
    var room: SiteMembership
    var kept: StoredSite?
    /// True if the vault fails each write.
    var vaultFails = false
    /// The commands to the vault, in order.
    var commands: [VaultCommand] = []
    var orders: [(SiteLinkID, SiteLinkOrder)] = []
    var replies: [ControlReply] = []
    var logged: [LogLine] = []
    /// The link that the component ordered last.
    private(set) var link: SiteLinkID?
    private var asked: [(OperationID, VaultCommand)] = []

    init(_ box: SiteBox = ModelSite.box) {
        room = SiteMembership(box)
    }

    /// Runs `body`. The vault then answers at once unless `isHeld`.
    mutating func run(holdingVault isHeld: Bool = false, _ body: (inout SiteMembership, inout Output) -> Void) {
        var room = room
        let said = bench.run { body(&room, &$0) }
        self.room = room
        for effect in said.effects {
            switch effect {
            case .vault(let id, let command):
                commands.append(command)
                asked.append((id, command))
            case .site(let id, let order):
                if case .connect = order { link = id }
                orders.append((id, order))
            case .tellControl(_, let reply): replies.append(reply)
            case .log(let line): logged.append(line)
            default: break
            }
        }
        if !isHeld { answerAll() }
    }

    mutating func answerAll() {
        while !asked.isEmpty {
            let (id, command) = asked.removeFirst()
            let answer = Answer.vault(answer(command))
            run(holdingVault: true) { $0.answered(id, answer, &$1) }
        }
    }

    private mutating func answer(_ command: VaultCommand) -> VaultAnswer {
        if vaultFails { return .failed(.diskFull) }
        switch command {
        case .readSite: return .site(kept)
        case .joinSite(let site): kept = site
        case .changeSite(let change):
            if change.beginsGeneration {
                kept?.entries = []
                kept?.head = nil
                kept?.time = nil
                kept?.hours = nil
            }
            if let document = change.document { kept?.document = document }
            if let certificate = change.certificate { kept?.certificate = certificate }
            kept?.entries.append(contentsOf: change.added)
            kept?.entries.removeAll { change.dropped.contains($0) }
            if let head = change.head { kept?.head = head }
            if let time = change.time { kept?.time = time }
            if let hours = change.hours { kept?.hours = hours }
        case .forgetSite: kept = nil
        default: return .failed(.invalid(what: "no command of a site"))
        }
        return .done
    }

    // MARK: - What happens

    mutating func start() { run { $0.started(&$1) } }

    mutating func join(_ code: HeldSecret) { run { $0.joins(Sample.control(), code, &$1) } }

    mutating func hear(_ event: SiteLinkEvent, on id: SiteLinkID? = nil, holdingVault isHeld: Bool = false) {
        guard let id = id ?? link else { return }
        run(holdingVault: isHeld) { $0.heard(id, event, &$1) }
    }

    mutating func say(_ message: MessageFromSite, holdingVault isHeld: Bool = false) {
        hear(.said(message), holdingVault: isHeld)
    }

    /// Advances the time and stops at each deadline on the way.
    mutating func pass(_ time: Duration) {
        let end = bench.now.sinceBoot + time
        while let due = room.deadline, due <= end {
            bench.now.sinceBoot = max(due, bench.now.sinceBoot)
            run { $0.timeHasCome(&$1) }
        }
        bench.now.sinceBoot = end
    }

    /// A member with an open link, which has received its first signed status.
    static func member(random: UInt64 = 7) throws -> SiteBench {
        var bench = SiteBench(
            SiteBox(
                publicKey: ModelSite.box.publicKey, boot: ModelSite.box.boot, program: ModelSite.box.program,
                random: random))
        bench.start()
        bench.join(try ModelSite.code())
        bench.hear(.greeted(try ModelSite.greeting()))
        bench.hear(.established)
        bench.say(.certificate(try ModelSite.certificate()))
        bench.say(.head(try ModelSite.head(1)))
        return bench
    }

    // MARK: - What was said

    /// The time until the next try of a link, or nil while a link is open.
    var nextTry: Duration? {
        if case .member(let member) = room.state, case .idle(let until) = member.link {
            until - bench.now.sinceBoot
        } else {
            nil
        }
    }

    var site: BoxSite? { if case .member(let member) = room.state { member.belief.site } else { nil } }

    var messages: [MessageToSite] {
        orders.flatMap { if case .say(let messages) = $0.1 { messages } else { [MessageToSite]() } }
    }

    var names: [String] {
        orders.map { order in
            switch order.1 {
            case .connect: "connect"
            case .shake: "shake"
            case .join: "join"
            case .say(let messages): messages.map { "\($0)".prefix { $0 != "(" }.description }.joined(separator: "+")
            case .close: "close"
            }
        }
    }

    mutating func forget() { (orders, commands, replies, logged) = ([], [], [], []) }
}
