import Synchronization

/// How many lines nobody took since the last that somebody took.
final class LostLines: Sendable {
    private let count = Atomic<Int>(0)

    func add(_ lines: Int = 1) {
        count.wrappingAdd(lines, ordering: .relaxed)
    }

    /// The count, which begins anew.
    func take() -> Int { count.exchange(0, ordering: .relaxed) }
}
