/// Deadlines in order, in a binary heap. A cancelled entry stays until it reaches the top, or the next sweep.
struct TimerQueue {
    /// A sweep removes cancelled entries once there are this many and they are more than half of all entries.
    static let sweepEntries = 64

    private struct Entry {
        let deadline: Duration
        let waiter: UInt64
    }

    private var heap: [Entry] = []
    private var given: Set<UInt64> = []

    var count: Int { heap.count - given.count }

    mutating func insert(_ waiter: UInt64, at deadline: Duration) {
        heap.append(Entry(deadline: deadline, waiter: waiter))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Cancels an entry; the waiter must be in the queue.
    mutating func giveUp(_ waiter: UInt64) {
        given.insert(waiter)
        guard given.count >= Self.sweepEntries, given.count > heap.count / 2 else { return }
        heap.removeAll { given.contains($0.waiter) }
        given.removeAll()
        // A sorted array is a heap.
        heap.sort { $0.deadline < $1.deadline }
    }

    /// Returns the next deadline that is not cancelled.
    mutating func next() -> Duration? {
        while let top = heap.first, given.contains(top.waiter) {
            given.remove(top.waiter)
            removeFirst()
        }
        return heap.first?.deadline
    }

    /// Removes and returns one waiter whose deadline has passed.
    mutating func popDue(at now: Duration) -> UInt64? {
        guard let deadline = next(), deadline <= now, let top = heap.first else { return nil }
        removeFirst()
        return top.waiter
    }

    private mutating func removeFirst() {
        let last = heap.count - 1
        heap.swapAt(0, last)
        heap.removeLast()
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { return }
            let right = left + 1
            let smaller = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
            guard heap[smaller].deadline < heap[parent].deadline else { return }
            heap.swapAt(smaller, parent)
            parent = smaller
        }
    }
}
