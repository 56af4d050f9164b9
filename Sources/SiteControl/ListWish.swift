import ControlProtocol

/// Which part of a long list is wanted. Choices hold together.
public struct ListWish: Equatable, Sendable {
    public enum List: String, FieldWord, Sendable, CaseIterable {
        /// By their numbers.
        case boxes
        /// By the names of their people.
        case phones
        /// Boxes that came with a bulk code and are not approved yet: those that came first.
        case waiting
    }

    public var list: List
    /// What is searched for: of a box a part of its name, the beginning of its number, or a group; of a phone a part of its person's
    /// name or of its label, or the beginning of its id.
    public var search: String?
    /// Of boxes: linked, away, invited, suspended, removed; nil: all that were not removed.
    public var state: String?
    /// The one box of that number now, the phones of that person, or of that id.
    public var number: String?
    public var user: String?
    public var phone: String?
    /// Rows behind this place, or before it, as a `ListEnd` has it; nil: from the beginning.
    public var after: String?
    public var before: String?
    /// At most so many, 1 to `SiteControlLimits.listPage`.
    public var limit: UInt64 = SiteControlLimits.listPage

    public init(_ list: List) {
        self.list = list
    }

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.word("list", &list)
        try coder.text("search", &search, limit: SiteControlLimits.searchBytes)
        try coder.text("state", &state, limit: 16)
        try coder.text("number", &number, limit: 6)
        try coder.text("user", &user, limit: SiteControlLimits.userBytes)
        try coder.text("phone", &phone, limit: SiteControlLimits.phoneBytes)
        try coder.text("after", &after, limit: SiteControlLimits.placeBytes)
        try coder.text("before", &before, limit: SiteControlLimits.placeBytes)
        try coder.number("limit", &limit, limit: SiteControlLimits.listPage)
    }
}

/// What stands behind the rows of a part of a list.
public struct ListEnd: Equatable, Sendable {
    /// All that were found, as far as is counted: `SiteControlLimits.listCounted` stands for more.
    public var found: UInt64 = 0
    /// Where the part before this one ends, and the next one begins; nil: there is none.
    public var before: String?
    public var after: String?
    /// Of the boxes that the one who asks sees.
    public var joined: UInt64 = 0
    public var invited: UInt64 = 0
    public var suspended: UInt64 = 0

    public init() {}

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.number("found", &found)
        try coder.text("before", &before, limit: SiteControlLimits.placeBytes)
        try coder.text("after", &after, limit: SiteControlLimits.placeBytes)
        try coder.number("joined", &joined)
        try coder.number("invited", &invited)
        try coder.number("suspended", &suspended)
    }
}
