import ControlProtocol

/// The part of a long list that is wanted. A row must meet all choices.
public struct ListWish: Equatable, Sendable {
    public enum List: String, FieldWord, Sendable, CaseIterable {
        /// Ordered by number.
        case boxes
        /// Ordered by the users' names.
        case phones
        /// Boxes that came with a bulk code and are not approved yet, ordered by arrival.
        case waiting
    }

    public var list: List
    /// The search text. For a box, it is a part of the name, the start of the number, or a group. For a phone, it is a
    /// part of the user's name or of the label, or the start of the ID.
    public var search: String?
    /// For boxes: linked, away, invited, suspended, removed. Nil stands for all that were not removed.
    public var state: String?
    /// Limits the list to the box that now has that number, to the phones of that user, or to the phone with that ID.
    public var number: String?
    public var user: String?
    public var phone: String?
    /// Rows after this place, or before it, as given in a `ListEnd`. Nil begins at the start.
    public var after: String?
    public var before: String?
    /// The most rows, 1 to `SiteControlLimits.listPage`.
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

/// Sent after the rows of a part of a list.
public struct ListEnd: Equatable, Sendable {
    /// The number of rows that were found. `SiteControlLimits.listCounted` stands for this many or more.
    public var found: UInt64 = 0
    /// The places before and after this part, or nil if there are no more rows on that side.
    public var before: String?
    public var after: String?
    /// Boxes by state, as far as the reader sees them.
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
