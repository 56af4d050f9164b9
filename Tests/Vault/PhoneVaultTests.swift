import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

/// A phone's vault in a temporary directory.
struct PhoneFixture {
    let scratch: Scratch
    let clock = TestClock()
    let hasher = TestHasher()
    let credential = secret("correct horse battery staple")

    init() throws {
        scratch = try Scratch()
    }

    func open() throws -> PhoneVault {
        try PhoneVault(directory: scratch.vault, executor: Lane(), clock: clock, hasher: hasher)
    }

    func box(_ seed: UInt8 = 1, digits: String = "4711") -> NewBox {
        NewBox(
            boxID: Array(digits.utf8), boxKey: [UInt8](repeating: seed, count: 32),
            authorityKey: [UInt8](repeating: seed ^ 0x80, count: 32), serial: 3, user: Array("ada".utf8),
            label: Array("desk".utf8))
    }

    /// Enrols the phone at a box that confirms it.
    func enrol(_ vault: PhoneVault, _ seed: UInt8 = 1, mode: CredentialMode = .phoneHeld) async throws -> [UInt8] {
        let id = try await vault.beginEnrolment(box(seed)).id
        try await vault.confirmEnrolment(id, user: Array("ada".utf8), mode: mode)
        return id
    }
}

extension PhoneCredentialOutcome {
    /// A text for comparison.
    var words: String {
        switch self {
        case .opened(let secret): "opened \(String(decoding: secret.plain, as: UTF8.self))"
        case .pinNeeded: "PIN needed"
        case .pinWrong(let left): "wrong, \(left) left"
        case .wiped: "wiped"
        case .noCredential: "no credential"
        }
    }
}

@Suite("Boxes that a phone knows")
struct KnownBoxTests {
    @Test("A box is there, unconfirmed, with its keys, before the box has heard of the phone")
    func pending() async throws {
        let fixture = try PhoneFixture()
        let id: [UInt8]
        let key: [UInt8]
        do {
            let vault = try fixture.open()
            let box = try await vault.beginEnrolment(fixture.box())
            #expect(!box.confirmed && box.hasDeviceSecret && !box.hasCredential)
            #expect(box.boxID == Array("4711".utf8) && box.highestSerial == 3)
            id = box.id
            key = try await vault.deviceKey(id).plain
        }
        let vault = try fixture.open()
        #expect(try await vault.deviceKey(id).plain == key)
        try await vault.confirmEnrolment(id, user: Array("bob".utf8), mode: .boxHeld)
        let box = try #require(try await vault.box(id))
        #expect(box.confirmed && box.user == Array("bob".utf8) && box.mode == .boxHeld)
        #expect(try await vault.boxes() == [box])
    }

    @Test("Enrolling at the same box again replaces the old record once it is confirmed, not before")
    func again() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let old = try await fixture.enrol(vault, 1)
        let other = try await fixture.enrol(vault, 2)
        let new = try await vault.beginEnrolment(fixture.box(1)).id
        #expect(Set(try await vault.boxes().map(\.id)) == [old, other, new])
        #expect(try await vault.deviceKey(new).plain != vault.deviceKey(old).plain)
        try await vault.confirmEnrolment(new, user: Array("ada".utf8), mode: .phoneHeld)
        #expect(Set(try await vault.boxes().map(\.id)) == [other, new])
    }

    @Test("The label of a second try replaces the first one's, and is as bounded")
    func label() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await vault.beginEnrolment(fixture.box()).id
        #expect(try await vault.setLabel(Array("new".utf8), of: id).label == Array("new".utf8))
        #expect(try await vault.box(id)?.label == Array("new".utf8))
        #expect(await failure { _ = try await vault.setLabel([UInt8](repeating: 97, count: 65), of: id) } != nil)
        #expect(await failure { _ = try await vault.setLabel([97], of: [1]) } == .notFound(what: "box"))
    }

    @Test("Two boxes may show the same digits")
    func sameDigits() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        _ = try await fixture.enrol(vault, 1)
        _ = try await fixture.enrol(vault, 2)
        #expect(try await vault.boxes().map(\.boxID) == [Array("4711".utf8), Array("4711".utf8)])
    }

    @Test("The highest serial only rises")
    func serial() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        for (serial, expected) in [(UInt64(9), UInt64(9)), (4, 9), (10, 10)] {
            try await vault.raiseSerial(id, to: serial, boxID: Array("1234".utf8))
            #expect(try await vault.box(id)?.highestSerial == expected)
        }
    }

    @Test("The usual address is kept, replaced and forgotten, and is bounded")
    func usualAddress() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        for address in [[], Array("one".utf8), Array("two".utf8), []] {
            try await vault.noteAddress(address, of: id)
            #expect(try await vault.box(id)?.usualAddress == address)
        }
        #expect(await failure { try await vault.noteAddress([UInt8](repeating: 97, count: 257), of: id) } != nil)
    }

    @Test("Device key and device secret are in no file in the clear, and are told apart by their boxes")
    func sealed() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let first = try await fixture.enrol(vault, 1)
        let second = try await fixture.enrol(vault, 2)
        var secrets: [[UInt8]] = []
        for id in [first, second] {
            secrets.append(try await vault.deviceKey(id).plain)
            secrets.append(try #require(try await vault.deviceSecret(id)).plain)
        }
        #expect(Set(secrets).count == 4 && secrets.allSatisfy { $0.count == 32 })
        let files = fixture.scratch.files()
        for planted in secrets { #expect(!files.values.contains { $0.holds(planted) }) }
        try await vault.onDatabase { database in
            _ = try database.run(
                """
                UPDATE phone_boxes SET device_secret = (SELECT device_secret FROM phone_boxes WHERE id = ?1),
                    device_key = device_secret
                WHERE id = ?2
                """, .blob(first), .blob(second))
        }
        #expect(await failure { _ = try await vault.deviceSecret(second) } == .wrongKey(what: "this phone's key"))
        #expect(await failure { _ = try await vault.deviceKey(second) } == .wrongKey(what: "this phone's key"))
    }

    @Test("A destroyed device secret leaves nothing behind, and a new one is another")
    func destroyed() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault, mode: .boxHeld)
        let old = try #require(try await vault.deviceSecret(id)).plain
        let sealed = try await vault.onDatabase { database in
            try database.first("SELECT device_secret FROM phone_boxes") { $0.bytes(0) }
        }
        try await vault.destroyDeviceSecret(id)
        #expect(try await vault.deviceSecret(id) == nil)
        #expect(try await vault.box(id)?.hasDeviceSecret == false)
        let trace = try #require(sealed)
        #expect(!fixture.scratch.files().values.contains { $0.holds(trace) })
        #expect(try await vault.renewDeviceSecret(id).plain != old)
        #expect(try await vault.box(id)?.hasDeviceSecret == true)
    }

    @Test("A forgotten box leaves nothing behind")
    func forgotten() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        #expect(try await vault.setCredential(fixture.credential, for: id, pin: nil) == nil)
        let traces = try await vault.onDatabase { database in
            try database.first("SELECT device_key, device_secret, credential, box_key FROM phone_boxes") { row in
                (0..<4).map { row.bytes($0) }
            }
        }
        try await vault.forget(id)
        #expect(try await vault.boxes().isEmpty)
        let files = fixture.scratch.files()
        for trace in try #require(traces) { #expect(!files.values.contains { $0.holds(trace) }) }
        #expect(await failure { try await vault.forget(id) } == .notFound(what: "box"))
        #expect(await failure { _ = try await vault.deviceKey(id) } == .notFound(what: "box"))
    }

    @Test("A phone remembers a bounded number of boxes, and takes no box with impossible fields")
    func bounds() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        var bad = fixture.box()
        bad.boxKey = [1]
        let impossible = bad
        #expect(await failure { _ = try await vault.beginEnrolment(impossible) } != nil)
        try await vault.onDatabase { database in
            try database.execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                INSERT INTO phone_boxes SELECT randomblob(16), x'30303030', randomblob(32), randomblob(32), 1, x'61',
                    x'', 0, 0, x'', NULL, NULL, i, NULL, 0, x'' FROM n
                """)
        }
        let error = await failure { _ = try await vault.beginEnrolment(fixture.box()) }
        #expect(error?.description.contains("forget some") == true)
    }
}

@Suite("Credentials that the phone holds, and its PIN")
struct PhoneCredentialTests {
    @Test("Without a PIN a credential is stored, opened after a restart, and replaced")
    func withoutPIN() async throws {
        let fixture = try PhoneFixture()
        let id: [UInt8]
        do {
            let vault = try fixture.open()
            id = try await fixture.enrol(vault)
            #expect(try await vault.credential(for: id, pin: nil).words == "no credential")
            #expect(try await vault.setCredential(fixture.credential, for: id, pin: nil) == nil)
            #expect(try await vault.box(id)?.hasCredential == true)
        }
        let vault = try fixture.open()
        #expect(try await vault.credential(for: id, pin: nil).words == "opened correct horse battery staple")
        #expect(!fixture.scratch.files().values.contains { $0.holds(fixture.credential.plain) })
        #expect(try await vault.setCredential(secret("new"), for: id, pin: nil) == nil)
        #expect(try await vault.credential(for: id, pin: nil).words == "opened new")
        #expect(fixture.hasher.tries == 0)
    }

    @Test("A PIN can be set, is asked for, changed with the old one, and removed with it")
    func lifeOfAPIN() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        _ = try await vault.setCredential(fixture.credential, for: id, pin: nil)
        #expect(try await vault.hasPIN() == false)
        #expect(try await vault.attemptsLeft() == nil)
        let wrap = { try await vault.onDatabase { try $0.first("SELECT wrapped_key FROM phone_lock") { $0.bytes(0) } } }
        let open = try #require(try await wrap())
        #expect(try await vault.changePIN(old: nil, new: secret("1234")) == nil)
        #expect(try await vault.hasPIN())
        #expect(try await vault.attemptsLeft() == 10)
        // The wrap without a PIN must be gone, or the PIN would protect nothing.
        #expect(!fixture.scratch.files().values.contains { $0.holds(open) })
        #expect(try await vault.credential(for: id, pin: nil).words == "PIN needed")
        #expect(try await vault.changePIN(old: nil, new: nil)?.words == "PIN needed")
        #expect(try await vault.setCredential(secret("x"), for: id, pin: nil)?.words == "PIN needed")
        let first = try #require(try await wrap())
        #expect(try await vault.changePIN(old: secret("0000"), new: secret("9876"))?.words == "wrong, 9 left")
        #expect(try await vault.changePIN(old: secret("1234"), new: secret("9876")) == nil)
        #expect(!fixture.scratch.files().values.contains { $0.holds(first) })
        #expect(try await vault.credential(for: id, pin: secret("1234")).words == "wrong, 9 left")
        #expect(try await vault.setCredential(secret("newer"), for: id, pin: secret("9876")) == nil)
        #expect(try await vault.credential(for: id, pin: secret("9876")).words == "opened newer")
        #expect(try await vault.changePIN(old: secret("9876"), new: nil) == nil)
        #expect(try await vault.hasPIN() == false)
        #expect(try await vault.credential(for: id, pin: nil).words == "opened newer")
    }

    @Test("Ten wrong PINs wipe every credential of the phone, whatever asked for them; boxes and keys stay")
    func tenWrong() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let first = try await fixture.enrol(vault, 1)
        let second = try await fixture.enrol(vault, 2)
        for id in [first, second] { _ = try await vault.setCredential(fixture.credential, for: id, pin: nil) }
        _ = try await vault.changePIN(old: nil, new: secret("1234"))
        let traces = try await vault.onDatabase { database in
            try database.rows("SELECT credential FROM phone_boxes") { $0.bytes(0) }
                + database.rows("SELECT wrapped_key FROM phone_lock") { $0.bytes(0) }
        }
        #expect(traces.count == 3)
        let wrong = secret("0000")
        for left in (1...9).reversed() {
            let words =
                switch left % 3 {
                case 0: try await vault.credential(for: first, pin: wrong).words
                case 1: try await vault.changePIN(old: wrong, new: nil)?.words
                default: try await vault.setCredential(secret("x"), for: second, pin: wrong)?.words
                }
            #expect(words == "wrong, \(left) left")
            #expect(try await vault.attemptsLeft() == UInt8(left))
        }
        #expect(try await vault.credential(for: first, pin: wrong).words == "wiped")
        let files = fixture.scratch.files()
        for trace in traces { #expect(!files.values.contains { $0.holds(trace) }) }
        #expect(try await vault.boxes().map(\.hasCredential) == [false, false])
        #expect(try await vault.credential(for: second, pin: secret("1234")).words == "no credential")
        #expect(try await vault.deviceKey(first).count == 32)
        #expect(try await vault.hasPIN() == false)
        #expect(try await vault.setCredential(secret("again"), for: first, pin: nil) == nil)
        #expect(try await vault.credential(for: first, pin: nil).words == "opened again")
    }

    @Test("The count outlives a restart; ten that are found at the start are wiped")
    func restart() async throws {
        let fixture = try PhoneFixture()
        let id: [UInt8]
        do {
            let vault = try fixture.open()
            id = try await fixture.enrol(vault)
            _ = try await vault.setCredential(fixture.credential, for: id, pin: nil)
            _ = try await vault.changePIN(old: nil, new: secret("1234"))
            for _ in 0..<9 { _ = try await vault.credential(for: id, pin: secret("0000")) }
        }
        do {
            let vault = try fixture.open()
            #expect(try await vault.attemptsLeft() == 1)
            try await vault.onDatabase { _ = try $0.run("UPDATE phone_lock SET attempts = 10, last_attempt = 1") }
        }
        let vault = try fixture.open()
        #expect(try await vault.credential(for: id, pin: secret("1234")).words == "no credential")
        #expect(try await vault.hasPIN() == false)
    }

    @Test("A try is written down before the hash, given back when there is no memory, and not made when it cannot be")
    func spending() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        _ = try await vault.setCredential(fixture.credential, for: id, pin: nil)
        let pin = secret("1234")
        _ = try await vault.changePIN(old: nil, new: pin)
        fixture.hasher.hold(pin.plain)
        let attempt = Task { try await vault.credential(for: id, pin: pin).words }
        await fixture.hasher.arrival(of: pin.plain)
        #expect(try await vault.attemptsLeft() == 9)
        fixture.hasher.release(pin.plain)
        #expect(try await attempt.value == "opened correct horse battery staple")
        fixture.hasher.failHashes()
        #expect(await failure { _ = try await vault.credential(for: id, pin: pin) } == .outOfMemory)
        fixture.hasher.failHashes(false)
        #expect(try await vault.attemptsLeft() == 10)
        let tries = fixture.hasher.tries
        try await vault.onDatabase { try $0.execute("PRAGMA query_only = ON") }
        let error = await failure { _ = try await vault.credential(for: id, pin: pin) }
        #expect(error == .readOnly(path: fixture.scratch.database))
        #expect(fixture.hasher.tries == tries)
    }

    @Test("A box that is forgotten while the PIN is hashed gives nothing")
    func forgottenMeanwhile() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        _ = try await vault.setCredential(fixture.credential, for: id, pin: nil)
        let pin = secret("1234")
        _ = try await vault.changePIN(old: nil, new: pin)
        fixture.hasher.hold(pin.plain)
        let attempt = Task { try await vault.credential(for: id, pin: pin).words }
        await fixture.hasher.arrival(of: pin.plain)
        try await vault.forget(id)
        fixture.hasher.release(pin.plain)
        #expect(try await attempt.value == "no credential")
    }
}
