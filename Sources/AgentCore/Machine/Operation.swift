/// A component: a part of the machine that owns some state and decides about it. Components never name each other; the
/// extensions of `AgentMachine` connect them.
package enum Room: UInt8, CaseIterable, Hashable, Sendable {
    case ledger, phones, enrolments, credentials, logins, elevations, deliveries, sessions, presences, logouts, controls
    /// Acts on sessions in progress, and the requests that wait for them.
    case sessionOrders
    /// The sessions and deadlines that an earlier run stored.
    case restoring
    /// The site that the box belongs to.
    case site
    /// Phones that the site's grants admit.
    case sitePhones
    /// Users who enrol their own phones at the site.
    case selfEnrolments
}

/// An operation that the shell was asked to perform. Its answer goes back to the component that asked.
package struct OperationID: Hashable, Sendable, Comparable {
    /// Operations of a component's second kind have numbers above this one.
    package static let secondKind: UInt64 = 1 << 62

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

/// The operations whose answers a component expects. An answer to a removed operation is dropped, with its secret.
package struct Pending<Item: Sendable>: Sendable {
    private let room: Room
    private var items: [UInt64: Item] = [:]
    private var last: UInt64

    /// - Parameter first: Operations get numbers above this one, which keeps two kinds of operations apart.
    package init(_ room: Room, after first: UInt64 = 0) {
        self.room = room
        last = first
    }

    package var count: Int { items.count }
    package var isEmpty: Bool { items.isEmpty }
    /// The items in the order of opening.
    package var all: [Item] { items.sorted { $0.key < $1.key }.map(\.value) }

    package mutating func open(_ item: Item) -> OperationID {
        last += 1
        items[last] = item
        return OperationID(room: room, number: last)
    }

    /// Returns the item of the answered operation, or nil if it was removed.
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
