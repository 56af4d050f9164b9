import Names

/// The result of comparing a user's devices with the number and name of the account.
public struct UserComparison: Equatable, Sendable {
    /// Devices of the account, including revoked ones.
    public let accepted: [DeviceID]
    /// Devices of an account that had the name before: it has another number now.
    public let others: [DeviceID]
    /// Active devices that had another spelling of the name.
    public let renamed: Int
    /// Active devices that the name has now.
    public let now: Int
    /// The devices of `others` that this comparison refused first.
    public let refused: [DeviceRecord]
    /// Devices that were refused until this comparison.
    public let again: [DeviceRecord]

    public init(
        accepted: [DeviceID], others: [DeviceID], renamed: Int, now: Int, refused: [DeviceRecord],
        again: [DeviceRecord]
    ) {
        self.accepted = accepted
        self.others = others
        self.renamed = renamed
        self.now = now
        self.refused = refused
        self.again = again
    }
}
