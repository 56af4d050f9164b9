/// Admits callers one at a time, in order of arrival; at most `limit` callers wait.
///
/// It belongs to one actor, and only this actor calls it.
final class Turnstile {
    private let point: WaitPoint
    private let limit: Int
    private var nextTicket: UInt64 = 0
    private var serving: UInt64 = 0
    private var givenUp: Set<UInt64> = []

    init(on loop: EpollLoop, limit: Int) {
        point = WaitPoint(on: loop)
        self.limit = limit
    }

    /// Waits for the caller's turn. After success, and only then, the caller must call `leave`.
    func enter(
        until deadline: Duration?, isolation: isolated (any Actor)? = #isolation
    ) async throws(SocketError) {
        guard nextTicket - serving <= UInt64(limit) else { throw .busy }
        let ticket = nextTicket
        nextTicket += 1
        while serving != ticket {
            let outcome = await point.wait(since: point.mark(), until: deadline)
            if serving != ticket, outcome != .signalled {
                givenUp.insert(ticket)
                throw outcome == .timedOut ? .timedOut : .cancelled
            }
        }
    }

    func leave() {
        serving += 1
        while givenUp.remove(serving) != nil { serving += 1 }
        point.signal()
    }
}
