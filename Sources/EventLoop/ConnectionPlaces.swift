/// Decides which connections a listener admits, and which it must close for a new one. Pure: the listener closes them.
///
/// Users with their own places never wait for others. All other users share the common places: a connection without a
/// request yields to a newcomer. If all connections have work, the user with the most connections loses one.
struct ConnectionPlaces: Sendable {
    /// A connection's number, in order of arrival.
    struct ID: Hashable, Comparable, Sendable {
        let number: UInt64
        static func < (one: ID, other: ID) -> Bool { one.number < other.number }
    }

    enum Admission: Equatable, Sendable {
        case refused
        /// Admitted after the other connection, if any, is closed.
        case admitted(ID, insteadOf: ID?)
    }

    private struct Place {
        let user: UInt32
        /// The group of users that share these places; nil for the common places.
        let group: Int?
    }

    /// Common places, for all users together.
    let limit: Int
    let limitPerUser: Int
    /// Places of each group in `groups`.
    let keptLimit: Int
    /// The groups of users that have their own places; the users of one group share them.
    var groups: [Set<UInt32>] = []
    private var places: [ID: Place] = [:]
    private var nextNumber: UInt64 = 0

    init(limit: Int, limitPerUser: Int, keptLimit: Int) {
        self.limit = limit
        self.limitPerUser = limitPerUser
        self.keptLimit = keptLimit
    }

    var count: Int { places.count }

    /// Decides about a new connection of `user`. `givesWay` returns whether a connection is idle.
    mutating func admit(_ user: UInt32, givesWay: (ID) -> Bool) -> Admission {
        let group = groups.firstIndex { $0.contains(user) }
        let among = places.filter { $0.value.group == group }
        let own = among.filter { $0.value.user == user }
        var victim: ID?
        if group == nil, own.count >= limitPerUser {
            victim = own.keys.filter(givesWay).min()
        } else if among.count >= (group == nil ? limit : keptLimit) {
            victim = Self.victim(among, for: own.count, givesWay)
        } else {
            return .admitted(add(user, group), insteadOf: nil)
        }
        guard let victim else { return .refused }
        places[victim] = nil
        return .admitted(add(user, group), insteadOf: victim)
    }

    /// Frees the place of a closed connection.
    mutating func release(_ id: ID) {
        places[id] = nil
    }

    private mutating func add(_ user: UInt32, _ group: Int?) -> ID {
        let id = ID(number: nextNumber)
        nextNumber += 1
        places[id] = Place(user: user, group: group)
        return id
    }

    /// Returns the oldest idle connection of the user with the most connections, among users with an idle one. If none
    /// is idle and the newcomer's user would still have fewer connections, returns the oldest connection of the user
    /// with the most.
    private static func victim(_ among: [ID: Place], for ownCount: Int, _ givesWay: (ID) -> Bool) -> ID? {
        var byUser: [UInt32: [ID]] = [:]
        for (id, place) in among { byUser[place.user, default: []].append(id) }
        let ordered = byUser.sorted { ($0.value.count, $1.key) > ($1.value.count, $0.key) }.map(\.value)
        for ids in ordered {
            if let idle = ids.filter(givesWay).min() { return idle }
        }
        guard let most = ordered.first, ownCount + 1 < most.count else { return nil }
        return most.min()
    }
}
