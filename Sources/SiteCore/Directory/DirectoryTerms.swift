import SiteTrust

/// The configured settings for the directory that has a site's users.
public struct DirectoryTerms: Sendable, Equatable {
    /// A group of the directory, and the site's group that its members' phones get.
    public struct Mapping: Sendable, Equatable {
        /// 1 to 255 bytes.
        public let name: String
        public let number: UInt16

        public init(name: String, number: UInt16) {
            self.name = name
            self.number = number
        }
    }

    /// The most mappings. A helper looks up each mapped group again for each page of users.
    public static let mappingLimit = 64
    /// The most users who are exempt from lookups.
    public static let localLimit = 256
    /// The values that the configuration may set for `limit`.
    public static let limits = 1...10_000
    /// In seconds. Users who leave must be revoked within five minutes: two rounds, and two minutes for which sssd may
    /// use its cache.
    public static let longestInterval = 60
    public static let intervals = 5...longestInterval

    /// A user who always exists. Answers do not count while the directory lacks this user.
    public let probe: String
    public let localUsers: Set<String>
    public let mappings: [Mapping]
    public let limit: Int
    /// Seconds from the start of one round to the start of the next.
    public let interval: Int

    public init(
        probe: String, localUsers: Set<String> = [], mappings: [Mapping] = [], limit: Int = 20,
        interval: Int = longestInterval
    ) {
        self.interval = interval
        self.probe = probe
        self.localUsers = localUsers
        self.mappings = mappings
        self.limit = limit
    }

    /// The names of the groups to ask about, each once.
    public var groupNames: [String] { Set(mappings.map(\.name)).sorted() }

    /// Returns the new groups of a phone that has `groups`, and whose user is in the directory's groups `names`. Mapped
    /// groups follow the directory, and the phone's other groups stay. Of more than eight groups, the lowest eight
    /// remain. Returns nil if none remains.
    public func groups(_ groups: SiteGroups, ofMemberOf names: [String]) -> SiteGroups? {
        let mapped = Set(mappings.map(\.number))
        let own = mappings.filter { names.contains($0.name) }.map(\.number)
        let wanted = Set(groups.numbers.filter { !mapped.contains($0) } + own).sorted()
        return SiteGroups(Array(wanted.prefix(SiteGroups.countLimit)))
    }

    /// Returns whether `leaving` more users may be revoked, beside the `recent` ones of the last hour. The bound is
    /// `limit` or a quarter of all users, whichever is less. One user is always allowed.
    public func allows(_ leaving: Int, recent: Int, users: Int) -> Bool {
        leaving + recent <= max(1, min(limit, users / 4))
    }
}
