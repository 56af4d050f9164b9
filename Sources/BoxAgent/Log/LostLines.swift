import Synchronization

/// Counts the lines that were lost since the last written one.
final class LostLines: Sendable {
    private let count = Atomic<Int>(0)

    func add(_ lines: Int = 1) {
        count.wrappingAdd(lines, ordering: .relaxed)
    }

    /// Returns the count and resets it to zero.
    func take() -> Int { count.exchange(0, ordering: .relaxed) }
}
