/// Part of the machine that owns some state and decides about it. No room names another one: `AgentMachine+Routing` does.
package enum Room: UInt8, CaseIterable, Hashable, Sendable {
    case ledger, phones, enrolments, credentials, logins, elevations, deliveries, sessions, presences, logouts, controls
    /// Acts on sessions that are under way, and whoever waits for them.
    case sessionOrders
    /// What an earlier run wrote down of sessions and deadlines.
    case restoring
    /// The site that the box belongs to.
    case site
    /// Phones that its grants let in.
    case sitePhones
    /// People who would enrol phones of their own at the site.
    case selfEnrolments
}

/// Something that the shell was asked for, and whose answer goes back to the room that asked.
package struct OperationID: Hashable, Sendable, Comparable {
    package let room: Room
    package let number: UInt64

    package init(room: Room, number: UInt64) {
        self.room = room
        self.number = number
    }

    package static func < (left: OperationID, right: OperationID) -> Bool {
        (left.room.rawValue, left.number) < (right.room.rawValue, right.number)
    }
}

/// What a room waits for. An answer to something that is not in here any more is dropped, with the secret it carries.
package struct Pending<Item: Sendable>: Sendable {
    private let room: Room
    private var items: [UInt64: Item] = [:]
    private var last: UInt64

    /// `after`: where numbers begin, for a room that waits for two kinds of things; their numbers never meet.
    package init(_ room: Room, after first: UInt64 = 0) {
        self.room = room
        last = first
    }

    package var count: Int { items.count }
    package var isEmpty: Bool { items.isEmpty }
    /// In the order in which they were opened.
    package var all: [Item] { items.sorted { $0.key < $1.key }.map(\.value) }

    package mutating func open(_ item: Item) -> OperationID {
        last += 1
        items[last] = item
        return OperationID(room: room, number: last)
    }

    /// What the answer is to; nil when nobody waits for it any more.
    package mutating func close(_ id: OperationID) -> Item? {
        guard id.room == room else { return nil }
        return items.removeValue(forKey: id.number)
    }

    package mutating func change(_ change: (inout Item) -> Void) {
        for number in items.keys {
            if var item = items[number] {
                change(&item)
                items[number] = item
            }
        }
    }

    package mutating func drop(where isDropped: (Item) -> Bool) {
        items = items.filter { !isDropped($0.value) }
    }
}
