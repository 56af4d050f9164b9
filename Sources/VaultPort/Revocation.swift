/// What became of a revocation that is written down.
public struct Revocation: Sendable {
    /// Why rows whose keys are destroyed are still there; the next start removes them.
    public let unfinished: VaultError?

    public init(unfinished: VaultError?) {
        self.unfinished = unfinished
    }
}
