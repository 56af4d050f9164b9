import Names

/// The result of comparing a user's devices with the number and name of the account.
public struct UserComparison: Sendable {
    /// Devices of the account, including revoked ones.
    public var accepted: [DeviceID] = []
    /// Devices of an account that had the name before: it has another number now.
    public var others: [DeviceID] = []
    /// Active devices that had another spelling of the name.
    public var renamed = 0
    /// Active devices that the name has now.
    public var now = 0
    /// True if this comparison refused a device that was accepted before.
    public var refuses = false

    public init() {}
}

/// The numbers of a device's user, for listings.
public struct UserNumbers: Equatable, Sendable {
    /// The number of the account when this box first saw it; nil until then.
    public let uid: Int64?
    /// Another number that the user database answered last. The device is then refused.
    public let other: Int64?

    public init(uid: Int64?, other: Int64?) {
        self.uid = uid
        self.other = other
    }
}
