/// How many phones and boxes one administrator has revoked in two windows of time that end now.
public struct RecentRevocations: Sendable, Equatable {
    /// A window, and the revocations in it that need no second administrator.
    public struct Window: Sendable {
        /// In seconds.
        public let length: UInt64
        public let limit: Int

        /// Returns the time, in seconds, at which the window begins that ends at `end`.
        public func start(endingAt end: UInt64) -> Int64 { Int64(clamping: end - min(end, length)) }
    }

    public static let hour = Window(length: 3_600, limit: 20)
    public static let day = Window(length: 86_400, limit: 60)
    public static let none = RecentRevocations(inHour: 0, inDay: 0)

    public let inHour: Int
    public let inDay: Int

    public init(inHour: Int, inDay: Int) {
        self.inHour = inHour
        self.inDay = inDay
    }

    var needSecond: Bool { inHour > Self.hour.limit || inDay > Self.day.limit }
}
