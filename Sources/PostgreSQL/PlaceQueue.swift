/// Counts the callers that hold one of a few places, and queues the callers that wait, in order of arrival.
struct PlaceQueue {
    typealias Ticket = UInt64

    enum Entry: Equatable {
        case admitted
        case waits(Ticket)
        case full
    }

    let places: Int
    let limit: Int
    private var taken = 0
    private var waiting: [Ticket] = []
    private var lastTicket: Ticket = 0

    init(places: Int, limit: Int) {
        self.places = max(1, places)
        self.limit = max(0, limit)
    }

    mutating func enter() -> Entry {
        if taken < places {
            taken += 1
            return .admitted
        }
        guard waiting.count < limit else { return .full }
        lastTicket += 1
        waiting.append(lastTicket)
        return .waits(lastTicket)
    }

    /// Gives a place back. The caller that has waited longest gets the place. Returns that caller's ticket, or nil.
    mutating func leave() -> Ticket? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        taken = max(0, taken - 1)
        return nil
    }

    /// Stops waiting. Returns false if the ticket already has a place.
    mutating func giveUp(_ ticket: Ticket) -> Bool {
        guard let index = waiting.firstIndex(of: ticket) else { return false }
        waiting.remove(at: index)
        return true
    }
}
