import Secrets

/// The cost of one Argon2id hash (RFC 9106, one lane).
public struct PasswordHashCost: Sendable, Equatable {
    public let memoryKiB: UInt32
    /// Passes over the memory.
    public let passes: UInt32

    /// The lowest cost that is ever used: 32 MiB, three passes.
    public static let minimum = PasswordHashCost(checkedMemoryKiB: 32 * 1_024, passes: 3)
    /// The most memory that is accepted, in KiB: 1 GiB.
    public static let memoryKiBLimit: UInt32 = 1_024 * 1_024
    /// The most passes that are accepted.
    public static let passesLimit: UInt32 = 64

    /// Checks a cost from the vault or the configuration. Throws `invalidCost` below `minimum` or above the limits.
    public init(memoryKiB: UInt32, passes: UInt32) throws(SecretsError) {
        guard (Self.minimum.memoryKiB...Self.memoryKiBLimit).contains(memoryKiB),
            (Self.minimum.passes...Self.passesLimit).contains(passes)
        else { throw .invalidCost }
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// Takes any cost that libsodium accepts, for published vectors.
    init(checkedMemoryKiB memoryKiB: UInt32, passes: UInt32) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// Returns the cost that takes about `target` on this machine, at least `minimum` and at most `memoryKiBLimit`.
    ///
    /// Memory grows first, because it is what makes a search with special hardware expensive; passes grow second.
    /// Measuring takes about twice `target`, so do not call this on the event loop.
    public static func calibrated(
        target: Duration, memoryKiBLimit: UInt32 = 128 * 1_024
    ) throws(SecretsError) -> PasswordHashCost {
        var cost = minimum
        var elapsed = try PasswordHash.measure(cost)
        while cost.memoryKiB * 2 <= min(memoryKiBLimit, Self.memoryKiBLimit), elapsed * 2 <= target {
            let larger = PasswordHashCost(checkedMemoryKiB: cost.memoryKiB * 2, passes: cost.passes)
            let largerElapsed = try PasswordHash.measure(larger)
            guard largerElapsed <= target else { break }
            cost = larger
            elapsed = largerElapsed
        }
        let perPass = elapsed / Int(cost.passes)
        guard perPass > .zero else { return cost }
        let passes = max(minimum.passes, UInt32(min(Double(passesLimit), target / perPass)))
        return PasswordHashCost(checkedMemoryKiB: cost.memoryKiB, passes: passes)
    }
}
