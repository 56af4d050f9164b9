/// Who is let in at a listener, and who has to go for it. Pure: the listener closes what it is told to.
///
/// Users with places of their own never wait for others. The others share theirs: who has sent no request, or has none under
/// way, gives way to who comes, and of those with work the user with the most connections does.
struct ConnectionPlaces: Sendable {
    /// A connection, by the order in which they came.
    struct ID: Hashable, Comparable, Sendable {
        let number: UInt64
        static func < (one: ID, other: ID) -> Bool { one.number < other.number }
    }

    enum Admission: Equatable, Sendable {
        case refused
        /// In, once the other one is closed.
        case admitted(ID, insteadOf: ID?)
    }

    private struct Place {
        let user: UInt32
        /// The users that have these places among them; nil for the common ones.
        let group: Int?
    }

    /// In common, and of one user.
    let limit: Int
    let limitPerUser: Int
    /// For each of `groups`.
    let keptLimit: Int
    /// Users that have places of their own, a group of users together.
    var groups: [Set<UInt32>] = []
    private var places: [ID: Place] = [:]
    private var nextNumber: UInt64 = 0

    init(limit: Int, limitPerUser: Int, keptLimit: Int) {
        self.limit = limit
        self.limitPerUser = limitPerUser
        self.keptLimit = keptLimit
    }

    var count: Int { places.count }

    /// `givesWay` says whether a connection does nothing at the moment.
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

    /// The connection was closed.
    mutating func release(_ id: ID) {
        places[id] = nil
    }

    private mutating func add(_ user: UInt32, _ group: Int?) -> ID {
        let id = ID(number: nextNumber)
        nextNumber += 1
        places[id] = Place(user: user, group: group)
        return id
    }

    /// The oldest idle connection of the user who has the most among those with an idle one; else, where the newcomer's user
    /// would still have fewer, the oldest of the user who has the most of all.
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
