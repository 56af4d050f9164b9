/// The result of a stored revocation.
public struct Revocation: Sendable {
    /// The reason why rows with destroyed keys still exist; the next start removes them.
    public let unfinished: VaultError?

    public init(unfinished: VaultError?) {
        self.unfinished = unfinished
    }
}
