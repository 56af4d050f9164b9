import Glibc
import Links
import Names
import PhoneMessages
import Secrets
import Synchronization
import Vault
import VaultPort

@testable import PhoneCore
@testable import PhoneKit

/// A phone with its own vault, the boxes in range, and the phone's progress.
final class PhoneFixture: Sendable {
    let world = VirtualWorld()
    let air: FakeAir
    let directory: String
    let calendar = TestCalendar()
    private let told = Told()

    /// The progress that the phone reported.
    private final class Told: Sendable {
        let events = Mutex<[PhoneProgress]>([])
    }

    init() throws {
        air = FakeAir(in: world)
        var template = Array("/tmp/phonekit-XXXXXX".utf8CString)
        // SAFETY: `mkdtemp` changes the template in place, which has its terminating NUL.
        guard mkdtemp(&template) != nil else { throw LinkError.radio("no temporary directory") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for vault in ["/vault", "/another"] {
            for name in ["vault.sqlite3", "vault.sqlite3-wal", "vault.sqlite3-shm", "vault.key"] {
                unlink(directory + vault + "/" + name)
            }
            rmdir(directory + vault)
        }
        rmdir(directory)
    }

    /// Returns a phone as in a freshly started program, without memory of earlier calls.
    func phone(vault name: String = "vault") -> Phone {
        Phone(
            vault: FreshVault(directory: directory + "/" + name, world: world), radio: air, clock: world,
            executor: world, calendar: calendar)
    }

    var interaction: PhoneInteraction {
        PhoneInteraction(progress: { [told] event in told.events.withLock { $0.append(event) } })
    }

    var progress: [PhoneProgress] { told.events.withLock { $0 } }

    /// Enrols a new phone at a box, and returns the phone's row of the box.
    func enrolled(at box: FakeBox, mode: CredentialMode = .phoneHeld) async throws -> KnownBox {
        await box.change { $0.enrolResult.credentialMode = mode }
        return try await phone().enrol(try await box.openCode(), label: Array("test".utf8), interaction)
    }
}

/// Opens the vault for each use, as boxphone does.
struct FreshVault: VaultSource {
    let directory: String
    let world: VirtualWorld

    func vault() async throws(VaultError) -> PhoneVault {
        try PhoneVault(directory: directory, executor: world)
    }
}

func secret(_ text: String) -> HeldSecret {
    HeldSecret(SecretBytes(copying: Array(text.utf8)))
}

/// A calendar whose time a test sets.
final class TestCalendar: VaultClock {
    private let seconds = Mutex(Int64(TestSite.now))

    var unixSeconds: Int64 {
        get { seconds.withLock { $0 } }
        set { seconds.withLock { $0 = newValue } }
    }
    var sinceBoot: Duration { .zero }
    var bootID: [UInt8] { [1] }
}
