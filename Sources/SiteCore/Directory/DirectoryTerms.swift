import SiteTrust

/// What an administrator says of the directory whose people a site has.
public struct DirectoryTerms: Sendable, Equatable {
    /// A group of the directory, and the site's group that its members' phones are in.
    public struct Mapping: Sendable, Equatable {
        /// 1 to 255 bytes.
        public let name: String
        public let number: UInt16

        public init(name: String, number: UInt16) {
            self.name = name
            self.number = number
        }
    }

    /// Mappings at most: a helper finds each of these groups again for each page.
    public static let mappingLimit = 64
    /// Users who are not looked up, at most.
    public static let localLimit = 256
    /// How many may be taken back within an hour; also what the configuration may say.
    public static let limits = 1...10_000
    /// Who leaves has to be out within five minutes: two rounds, and the two minutes for which sssd may answer from its memory.
    public static let longestInterval = 60
    public static let intervals = 5...longestInterval

    /// A user who is always there. What is heard while it is not there, does not count.
    public let probe: String
    public let localUsers: Set<String>
    public let mappings: [Mapping]
    public let limit: Int
    /// From the beginning of one round to that of the next, in seconds.
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

    /// The names of groups that are asked about, each once.
    public var groupNames: [String] { Set(mappings.map(\.name)).sorted() }

    /// The groups that a phone with `groups` has, once its user is in these groups of the directory: those that are mapped follow the
    /// directory, the others stay. More than eight: the lowest. Nil: none is left.
    public func groups(_ groups: SiteGroups, ofMemberOf names: [String]) -> SiteGroups? {
        let mapped = Set(mappings.map(\.number))
        let own = mappings.filter { names.contains($0.name) }.map(\.number)
        let wanted = Set(groups.numbers.filter { !mapped.contains($0) } + own).sorted()
        return SiteGroups(Array(wanted.prefix(SiteGroups.countLimit)))
    }

    /// Whether so many more may be taken back, beside those of the last hour: at most `limit`, and at most a quarter of all users. One is
    /// always allowed.
    public func allows(_ leaving: Int, recent: Int, users: Int) -> Bool {
        leaving + recent <= max(1, min(limit, users / 4))
    }
}
