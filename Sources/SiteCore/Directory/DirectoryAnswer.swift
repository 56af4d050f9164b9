import SiteTrust

/// What the directory says of a name.
public enum DirectoryAnswer: Sendable, Equatable {
    /// There, and may log in. `groups`: those that were asked about and have the user; nil: that is not known. `name`: the account's, where
    /// another spelling was asked about.
    case there(groups: [String]?, name: String? = nil)
    /// The directory was asked, and has nobody of that name.
    case gone
    /// There, and may not log in: expired, locked, not allowed.
    case notAllowed(String)
    /// Nothing can be said: an error, or it took too long.
    case unclear(String)
}

/// A user of the site who is to be looked up.
public struct DirectoryMember: Sendable, Equatable {
    /// The row's number.
    public let row: Int64
    public let name: String
    /// The directory has had the user before.
    public let wasSeen: Bool
    /// Those of the active phones, each once.
    public let groups: [SiteGroups]

    public init(row: Int64, name: String, wasSeen: Bool, groups: [SiteGroups]) {
        self.row = row
        self.name = name
        self.wasSeen = wasSeen
        self.groups = groups
    }
}

/// Names that are looked up in one go, between two looks at the probe.
public struct DirectoryErrand: Sendable, Equatable {
    /// Users of a round; empty: names that somebody asks about.
    public let members: [DirectoryMember]
    /// In this order; the probe is the first and the last.
    public let names: [String]
}

/// Why somebody is taken back.
public enum DirectoryReason: Sendable, Equatable {
    case left
    case notAllowed(String)
    case noGroup

    public var text: String {
        switch self {
        case .left: "the directory no longer has this user"
        case .notAllowed(let why): "the directory does not allow this user: \(why)"
        case .noGroup: "the user is not in a mapped group"
        }
    }
}

/// Somebody who was absent in two rounds in a row.
public struct DirectoryLeaver: Sendable, Equatable {
    public let row: Int64
    public let name: String
    public let reason: DirectoryReason
    /// An administrator has agreed: the limit does not count.
    public let isAccepted: Bool
}
