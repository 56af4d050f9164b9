import Names
import PhoneMessages
import SiteLink
import SiteTrust
import Testing
import VaultModel
import VaultPort
import World

@testable import AgentCore

/// The machine of a box that is a member of a site. Its vault answers at once unless the test holds it.
struct SiteMachine {
    var now = Moment(sinceBoot: .seconds(1_000))
    var machine: AgentMachine
    var vault = ModelVault()
    /// Commands that the test has not answered yet.
    private(set) var held: [(OperationID, VaultCommand)] = []
    var holds = false
    /// The commands to the vault, in order.
    private(set) var commands: [VaultCommand] = []
    private(set) var effects: [Effect] = []
    private(set) var link = SiteLinkID(number: 0)

    /// - Parameter hasHead: Whether the box has received a signed status, and so knows the time.
    init(isMember: Bool = true, hasHead: Bool = true) throws {
        machine = AgentMachine(Bench().policy, now: now, box: ModelSite.box)
        feed(.started)
        guard isMember else { return }
        feed(.control(Sample.control(), .joins(try ModelSite.code())))
        feed(.site(link, .greeted(try ModelSite.greeting())))
        feed(.site(link, .established))
        feed(.site(link, .said(.certificate(try ModelSite.certificate()))))
        if hasHead { feed(.site(link, .said(.head(try ModelSite.head(1))))) }
    }

    @discardableResult
    mutating func feed(_ event: Event) -> Said {
        var said = Said(effects: machine.handle(event, at: now), facts: [])
        effects += said.effects
        for effect in said.effects {
            switch effect {
            case .vault(let id, let command):
                commands.append(command)
                if holds {
                    held.append((id, command))
                } else {
                    said.effects += feed(.answered(id, .vault(vault.answer(command)))).effects
                }
            case .act(let id, _, _): said.effects += feed(.answered(id, .acted(.done))).effects
            case .lookUp(let id, .person):
                said.effects += feed(.answered(id, .person(.agent, name: Array("root".utf8)))).effects
            case .site(let id, .connect): link = id
            default: break
            }
        }
        return said
    }

    @discardableResult
    mutating func release() -> Said {
        holds = false
        var said = Said(effects: [], facts: [])
        while !held.isEmpty {
            let (id, command) = held.removeFirst()
            said.effects += feed(.answered(id, .vault(vault.answer(command)))).effects
        }
        return said
    }

    /// Answers each held command with a failure.
    mutating func fail() -> Said {
        holds = false
        var said = Said(effects: [], facts: [])
        while !held.isEmpty {
            said.effects += feed(.answered(held.removeFirst().0, .vault(.failed(.diskFull)))).effects
        }
        return said
    }

    /// Restarts the agent in the same boot.
    mutating func restart() {
        machine = AgentMachine(Bench().policy, now: now, box: ModelSite.box)
        held = []
        vault.reopen()
        feed(.started)
    }

    /// Opens a session of the device. Logind and the vault know the session.
    mutating func openSession(of device: DeviceID) throws {
        let session = StoredSession(
            logindID: Array("c1".utf8), device: device, user: Array("alice".utf8), terminal: nil,
            openedMicroseconds: 5, openedAt: .seconds(500), extensions: 0)
        _ = vault.answer(.keepSession(session))
        feed(.logind(.appeared(Sample.logind())))
        feed(.logind(.available))
    }

    // MARK: - Phones

    /// Connects a phone up to its first transport message. The vault need not know the key.
    mutating func come(_ key: [UInt8], on number: UInt64 = 1) {
        let id = Sample.channel(number)
        feed(.phone(id, .arrived(connection: "c\(number)")))
        if let device = vault.device(key), device.record.state == .active {
            feed(.phone(id, .proved(DeviceSheet(record: device.record))))
        } else {
            feed(.phone(id, .unknownKey))
            feed(.phone(id, .provedStranger(key)))
        }
    }

    @discardableResult
    mutating func hello(_ grant: ShownGrant?, _ capabilities: Capabilities = [], on number: UInt64 = 1) -> Said {
        let hello = PhoneRequest.hello(
            versions: [MessageLimits.protocolVersion], capabilities: capabilities, grant: grant)
        return feed(.phone(Sample.channel(number), .asked(PhoneRequestMessage(id: testRequest(1), request: hello))))
    }

    @discardableResult
    mutating func visit(
        _ grant: ClaimedGrant, by key: [UInt8]? = nil, byHash: Bool = false, _ capabilities: Capabilities = [],
        on number: UInt64 = 1
    ) -> Said {
        come(key ?? grant.facts.phoneKey, on: number)
        return hello(byHash ? .hash(grant.hash) : .whole(grant.bytes), capabilities, on: number)
    }

    mutating func leave(_ number: UInt64 = 1) {
        feed(.phone(Sample.channel(number), .left(.linkClosed, peer: "a phone")))
    }

    // MARK: - The site

    mutating func takeBack(_ entry: ClaimedRevocation) -> Said { feed(.site(link, .said(.entries([entry])))) }

    /// The grants that the box asked the site to renew.
    var renewals: [ClaimedGrant] {
        effects.flatMap { effect -> [ClaimedGrant] in
            guard case .site(_, .say(let messages)) = effect else { return [] }
            return messages.compactMap { if case .renew(let grant) = $0 { grant } else { nil } }
        }
    }
}

extension ModelSite {
    static let phoneKey = x25519(21)

    static func grant(
        phone key: [UInt8] = phoneKey, user: String = "alice", userID fill: UInt8 = 0x10, groups: [UInt16] = [1],
        mode: GrantCredentialMode = .phoneHeld, number: UInt64 = 1, days: UInt64 = 30, by signer: Signer = .phones
    ) throws -> ClaimedGrant {
        let facts = try GrantFacts(
            phoneKey: key, user: Array(user.utf8),
            userID: try #require(SiteUserID(bytes: [UInt8](repeating: fill, count: 16))), mode: mode,
            groups: try #require(SiteGroups(groups)), generation: ordinal(1), number: number,
            expiry: start + days * day)
        return try ClaimedGrant(parsing: Grant.issue(facts, site: site(), issuer: self.key(signer)).bytes)
    }

    static func revocation(_ subject: RevokedSubject) throws -> ClaimedRevocation {
        let facts = try RevocationFacts(subject: subject, expiry: start + 31 * day, generation: ordinal(1))
        return try ClaimedRevocation(
            parsing: SiteTrust.Revocation.sign(facts, site: site(), issuer: key(.revocations)).bytes)
    }
}

extension Said {
    /// True if the box replied with its own `hello`, so it admitted the phone like a known device.
    var isLetIn: Bool {
        toPhones.contains { if case .hello = $0.message { true } else { false } }
    }

    var siteEntries: [[UInt8]] {
        toPhones.compactMap { if case .siteEntry(let entry) = $0.message { entry } else { nil } }
            + effects.compactMap { effect in
                if case .finish(_, _, .siteEntry(let entry)?) = effect { entry } else { nil }
            }
    }

    var muted: [ChannelID] { effects.compactMap { if case .mute(let id) = $0 { id } else { nil } } }
    var locks: Int { effects.filter { if case .act(_, .lock, _) = $0 { true } else { false } }.count }
}
