import Secrets
import SiteLink
import SiteTrust
import Testing
import VaultPort

@testable import SiteCore

/// A phone with a site-held credential, and the phone's rows and requests.
struct HeldFixture {
    static let phone = ServerFixture.key(7_000)
    static let start: Int64 = 1_800_000_000_000
    let keys: SiteServerKeys

    init() throws {
        keys = try SiteServerKeys(
            staticKey: X25519KeyPair(), siteSecret: SecretBytes(copying: [UInt8](repeating: 41, count: 32)))
    }

    static func secret(_ fill: UInt8, _ count: Int = 32) -> HeldSecret {
        HeldSecret(SecretBytes(copying: [UInt8](repeating: fill, count: count)))
    }

    func holding(_ policy: AttemptPolicy = AttemptPolicy()) -> SiteHolding {
        SiteHolding(keys: keys, statement: nil, policy: policy)
    }

    func credential(_ fill: UInt8 = 0x61, pin: UInt8 = 1) throws -> HeldCredential {
        try wanted(
            HeldCredential(
                Self.secret(fill, 13).bytes, pinKey: Self.secret(pin).bytes, phoneKey: Self.phone, keys))
    }

    static func grant(mode: GrantCredentialMode = .siteHeld) throws -> ClaimedGrant {
        let id = try #require(SiteUserID(bytes: [UInt8](repeating: 5, count: 16)))
        let facts = try GrantFacts(
            phoneKey: phone, user: Array("anna".utf8), userID: id, mode: mode, groups: ServerFixture.groups(),
            generation: ServerFixture.ordinal(1), number: 4, expiry: ServerFixture.start + 30 * ServerFixture.day)
        return try ClaimedGrant(
            parsing: Grant.issue(facts, site: ServerFixture.site, issuer: ServerFixture.key(.phones)).bytes)
    }

    static func tries(
        _ used: Int = 0, isLast: Bool = false, lockedUntil: Int64? = nil, spentAt: Int64? = nil
    ) throws -> HeldTries {
        try #require(HeldTries(used: used, isLast: isLast, lockedUntil: lockedUntil, spentAt: spentAt))
    }

    func row(
        _ tries: HeldTries? = nil, counter: UInt64 = 5, isActive: Bool = true, groups: [UInt16] = [1],
        mode: GrantCredentialMode = .siteHeld, isStored: Bool = true, wasWiped: Bool = false
    ) throws -> HeldRow {
        HeldRow(
            phone: 1, isActive: isActive, groups: ServerFixture.groups(groups), grant: try Self.grant(mode: mode),
            counter: counter, credential: isStored ? try credential() : nil, wasWiped: wasWiped,
            tries: try tries ?? Self.tries())
    }

    static func wish(_ action: HeldRequest.Action? = nil, counter: UInt64 = 6) -> HeldWish {
        HeldWish(
            number: 1, phoneKey: phone,
            request: HeldRequest(counter: counter, action: action ?? .open(pinKey: secret(1))),
            box: ServerFixture.box(1))
    }
}

extension HeldVerdict {
    var told: HeldAnswer.Outcome? { if case .told(let outcome) = self { outcome } else { nil } }
    var tries: HeldTries? { if case .tries(let tries) = self { tries } else { nil } }
    var isWipe: Bool { if case .wipes = self { true } else { false } }
    var isStore: Bool { if case .stores = self { true } else { false } }
}

@Suite("What a try of a site's PIN writes down before anything is compared")
struct HeldVerdictTests {
    private typealias Fixture = HeldFixture
    private let held: HeldFixture
    private let start = HeldFixture.start

    init() throws { held = try HeldFixture() }

    private func judge(
        _ row: HeldRow?, _ wish: HeldWish = Fixture.wish(), _ policy: AttemptPolicy = AttemptPolicy(),
        at now: Int64? = nil
    ) -> HeldVerdict {
        HeldVerdict.judge(row, wish, policy, at: now ?? start)
    }

    @Test("A try is one more than before, and the last one is known as such")
    func spends() throws {
        let first = try #require(judge(try held.row()).tries)
        #expect(first.used == 1 && !first.isLast && first.spentAt == start)
        let last = try #require(judge(try held.row(Fixture.tries(9))).tries)
        #expect(last.used == 10 && last.isLast)
        let early = try #require(judge(try held.row(Fixture.tries(2)), AttemptPolicy(limit: 3)).tries)
        #expect(early.isLast)
    }

    @Test("An earlier request, and the same again, cost nothing and open nothing")
    func replayed() throws {
        for counter: UInt64 in [0, 5, 4] {
            for action in [
                HeldRequest.Action.open(pinKey: Fixture.secret(1)), .tries,
                .changePIN(old: Fixture.secret(1), new: Fixture.secret(2)),
                .store(pinKey: Fixture.secret(1), credential: Fixture.secret(2)),
            ] {
                #expect(judge(try held.row(), Fixture.wish(action, counter: counter)).told == .refused)
            }
        }
    }

    @Test("A phone that was taken back, keeps its credential itself, or has no group in common, hears nothing")
    func refused() throws {
        #expect(judge(nil).told == .refused)
        #expect(judge(try held.row(isActive: false)).told == .refused)
        #expect(judge(try held.row(mode: .phoneHeld)).told == .refused)
        #expect(judge(try held.row(groups: [2])).told == .refused)
        let store = Fixture.wish(.store(pinKey: Fixture.secret(1), credential: Fixture.secret(2)))
        #expect(judge(try held.row(isActive: false), store).told == .refused)
    }

    @Test("Storing needs no try, and asking for the tries that are left costs none")
    func free() throws {
        let store = Fixture.wish(.store(pinKey: Fixture.secret(1), credential: Fixture.secret(2)))
        #expect(judge(try held.row(Fixture.tries(10, isLast: true)), store).isStore)
        #expect(judge(try held.row(Fixture.tries(3)), Fixture.wish(.tries)).told == .done(triesLeft: 7))
        #expect(judge(try held.row(isStored: false)).told == .noCredential)
        #expect(judge(try held.row(isStored: false, wasWiped: true)).told == .wiped)
        #expect(judge(try held.row(isStored: false, wasWiped: true), Fixture.wish(.tries)).told == .wiped)
    }

    @Test(
        "Behind the last try nothing is tried: what another server may be looking at still is waited for, then it is destroyed"
    )
    func exhausted() throws {
        let row = try held.row(Fixture.tries(10, isLast: true, spentAt: start))
        #expect(judge(row, at: start + 59_999).told == .notNow)
        #expect(judge(row, at: start + 60_000).isWipe)
        #expect(judge(row, Fixture.wish(.tries), at: start + 60_000).isWipe)
        #expect(judge(row, at: start - 1).isWipe, "a clock that was set back holds nothing up")
        #expect(judge(try held.row(Fixture.tries(10, isLast: true))).isWipe)
    }

    @Test(
        "Wrong PINs cost time where the site wants it, and a request in that time counts, so that it is of no use later"
    )
    func waits() throws {
        let policy = AttemptPolicy(delays: .growing)
        let spent = try #require(judge(try held.row(Fixture.tries(4)), policy).tries)
        #expect(spent.lockedUntil == start + 60_000)
        guard case .waits(let tries, .lockedOut(let seconds)) = judge(try held.row(spent), policy, at: start + 1_000)
        else {
            return #expect(Bool(false), "it does not wait")
        }
        #expect(seconds == 59 && tries == spent)
        #expect(judge(try held.row(spent), policy, at: start + 60_000).tries?.used == 6)
        #expect(judge(try held.row(spent), at: start + 1).tries?.used == 6, "the site wants it no more")
    }

    @Test("A clock that jumps back lets a wait begin anew, and never for longer than it was meant")
    func clockJumps() throws {
        let policy = AttemptPolicy(delays: .growing)
        let far = try Fixture.tries(5, lockedUntil: start + 400 * 86_400_000)
        guard case .waits(let tries, .lockedOut(let seconds)) = judge(try held.row(far), policy) else {
            return #expect(Bool(false), "it does not wait")
        }
        #expect(seconds == 60 && tries.lockedUntil == start + 60_000)
        #expect(tries.used == 5)
    }
}

extension HeldVerdictTests {
    private func judge(_ row: HeldRow?, _ policy: AttemptPolicy, at now: Int64? = nil) -> HeldVerdict {
        HeldVerdict.judge(row, HeldFixture.wish(), policy, at: now ?? HeldFixture.start)
    }
}

@Suite("A credential as a site keeps it")
struct HeldCredentialTests {
    private typealias Fixture = HeldFixture
    private let held: HeldFixture

    init() throws { held = try HeldFixture() }

    private func opened(_ credential: HeldCredential, pin: UInt8 = 1, phone: [UInt8] = Fixture.phone) -> HeldSecret? {
        credential.open(pinKey: Fixture.secret(pin).bytes, phoneKey: phone, held.keys)
    }

    @Test("It opens with the PIN key, for the phone, by the site's secret, and not without any of them")
    func opens() throws {
        let credential = try held.credential()
        #expect(opened(credential).map { $0.bytes.isEqual(to: Fixture.secret(0x61, 13).bytes) } == true)
        #expect(opened(credential, pin: 2) == nil)
        #expect(opened(credential, phone: ServerFixture.key(7_001)) == nil)
        let others = try SiteServerKeys(
            staticKey: X25519KeyPair(), siteSecret: SecretBytes(copying: [UInt8](repeating: 42, count: 32)))
        #expect(credential.open(pinKey: Fixture.secret(1).bytes, phoneKey: Fixture.phone, others) == nil)
    }

    @Test("Two storings of one password have nothing in common, and nothing shows how long it is")
    func differ() throws {
        let (one, other) = (try held.credential(), try held.credential())
        #expect(one.salt != other.salt && one.wrappedKey != other.wrappedKey && one.content != other.content)
        let long = try wanted(
            HeldCredential(
                Fixture.secret(1, 511).bytes, pinKey: Fixture.secret(1).bytes, phoneKey: Fixture.phone, held.keys))
        #expect(long.content.count == one.content.count)
        #expect(
            HeldCredential(
                SecretBytes(count: 0), pinKey: Fixture.secret(1).bytes, phoneKey: Fixture.phone, held.keys) == nil)
    }

    @Test("A part of one row is nothing in another")
    func moved() throws {
        let (one, other) = (try held.credential(), try held.credential())
        let mixed = try #require(HeldCredential(salt: one.salt, wrappedKey: one.wrappedKey, content: other.content))
        #expect(opened(mixed) == nil)
        let salted = try #require(HeldCredential(salt: other.salt, wrappedKey: one.wrappedKey, content: one.content))
        #expect(opened(salted) == nil)
    }

    @Test("A change of PIN needs the old one, and the old one opens nothing behind it")
    func changes() throws {
        let credential = try held.credential()
        func changed(_ old: UInt8) -> HeldCredential? {
            credential.changed(
                from: Fixture.secret(old).bytes, to: Fixture.secret(9).bytes, phoneKey: Fixture.phone, held.keys)
        }
        #expect(changed(2) == nil)
        let new = try #require(changed(1))
        #expect(opened(new) == nil && opened(new, pin: 9) != nil)
        #expect(new.salt != credential.salt && new.wrappedKey != credential.wrappedKey)
    }

    @Test("What a try comes to: the credential, another PIN, so many left, or the end")
    func trials() throws {
        let holding = held.holding(AttemptPolicy(limit: 3))
        let credential = try held.credential()
        func trial(_ action: HeldRequest.Action, _ used: Int, isLast: Bool = false) throws -> HeldTrial {
            HeldTrial.compare(
                Fixture.wish(action), with: credential, try Fixture.tries(used, isLast: isLast), holding)
        }
        guard case .right = try trial(.open(pinKey: Fixture.secret(1)), 3, isLast: true) else {
            return #expect(Bool(false), "the last try may be right")
        }
        guard case .wrong(2) = try trial(.open(pinKey: Fixture.secret(2)), 1) else {
            return #expect(Bool(false), "two are left")
        }
        guard case .exhausted = try trial(.open(pinKey: Fixture.secret(2)), 3, isLast: true) else {
            return #expect(Bool(false), "it was the last")
        }
        guard case .changed = try trial(.changePIN(old: Fixture.secret(1), new: Fixture.secret(2)), 1) else {
            return #expect(Bool(false), "it is changed")
        }
        guard case .wrong(1) = try trial(.changePIN(old: Fixture.secret(3), new: Fixture.secret(2)), 2) else {
            return #expect(Bool(false), "a wrong old PIN is a try")
        }
    }
}
