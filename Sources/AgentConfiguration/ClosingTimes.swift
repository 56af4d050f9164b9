/// The local times of day at which the site closes.
public struct ClosingTimes: Equatable, Sendable {
    static let secondsPerDay: Int64 = 86_400

    /// Seconds since midnight, local time.
    private let seconds: [Int64]

    /// Parses times such as `20:00`. Returns nil if a text is not a valid time.
    public init?(_ texts: [String]) {
        var seconds: [Int64] = []
        for text in texts {
            let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }),
                let hours = Int64(String(decoding: parts[0], as: UTF8.self)), hours < 24,
                let minutes = Int64(String(decoding: parts[1], as: UTF8.self)), minutes < 60
            else { return nil }
            seconds.append(hours * 3_600 + minutes * 60)
        }
        self.seconds = seconds
    }

    /// Returns the time from this second of the day to the next closing time, or nil if the site never closes.
    public func untilNext(after secondOfDay: Int64) -> Duration? {
        seconds.map { time in
            let left = (time - secondOfDay) % Self.secondsPerDay
            return .seconds(left > 0 ? left : left + Self.secondsPerDay)
        }.min()
    }
}
