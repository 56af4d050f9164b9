import PhoneMessages
import Secrets
import SecureChannel
import Transport
import Vault
import VaultPort

/// A phone: knows the boxes it is enrolled at, finds them, and asks them for things.
///
/// Everything runs on the executor that is given, which may be a program's only thread (one that is a `TaskExecutor`
/// as well carries the links' tasks, too). Every wait is bounded by `PhoneLimits`, and ends when the caller's task is
/// cancelled. Links are made for one request and closed after it,
/// but for `watch`.
public actor Phone {
    let vaultSource: any VaultSource
    let radio: any CentralRadio
    let clock: any LinkClock
    let limits: PhoneLimits
    var choice: BearerChoice
    /// While boxes are watched, by `KnownBox.id`: what was tapped, and who waits for the box's next word. Not by their digits,
    /// which are an address: two boxes may have the same.
    var taps: [[UInt8]: [WatchTap]] = [:]
    /// The channels of those boxes.
    var watched: [[UInt8]: WatchedChannel] = [:]
    var watching: [[UInt8]: Task<BoxChannel.Incoming, Never>] = [:]
    let executor: any SerialExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    public init(
        vault: any VaultSource, radio: any CentralRadio, clock: any LinkClock, executor: any SerialExecutor,
        bearer: BearerPreference = .automatic, limits: PhoneLimits = PhoneLimits()
    ) {
        vaultSource = vault
        self.radio = radio
        self.clock = clock
        self.executor = executor
        self.limits = limits
        choice = BearerChoice(bearer)
    }

    // MARK: Boxes

    /// The boxes that this phone is enrolled at, the oldest first.
    public func boxes() async throws(PhoneError) -> [KnownBox] {
        try await inVault { (vault) throws(VaultError) in try await vault.boxes() }
    }

    /// Destroys everything that this phone keeps for a box. The box still lists the phone, until the administrator
    /// revokes it there.
    public func forget(_ box: KnownBox) async throws(PhoneError) {
        try await inVault { (vault) throws(VaultError) in try await vault.forget(box.id) }
    }

    /// Runs one use of the vault.
    func inVault<Result: Sendable>(
        _ body: (PhoneVault) async throws(VaultError) -> Result
    ) async throws(PhoneError) -> Result {
        do throws(VaultError) {
            return try await body(try await vaultSource.vault())
        } catch {
            throw .vault(error)
        }
    }

    /// Starts something beside; on the executor, where that can carry tasks.
    func start<Success: Sendable>(_ body: @escaping @Sendable () async -> Success) -> Task<Success, Never> {
        Task.detached(executorPreference: executor as? any TaskExecutor) { await body() }
    }

    /// Does something at a time, unless it is cancelled before.
    func after(_ deadline: Duration, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let clock = clock
        return start {
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            await body()
        }
    }

    /// Waits for a while; `cancelled` when the task is.
    func pause(_ duration: Duration) async throws(PhoneError) {
        do {
            try await clock.sleep(until: clock.now() + duration)
        } catch {
            throw .cancelled
        }
    }
}
