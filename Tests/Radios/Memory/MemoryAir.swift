import Synchronization

/// The room that phones and boxes of this process share: who is switched on in it, by their place.
public final class MemoryAir: Sendable {
    private let boxes = Mutex<[Int: MemoryPeripheral]>([:])

    public init() {}

    /// Where the box stands from now on.
    func enter(_ box: MemoryPeripheral) -> Int {
        boxes.withLock { boxes in
            let place = (boxes.keys.max() ?? 0) + 1
            boxes[place] = box
            return place
        }
    }

    func leave(_ place: Int) { boxes.withLock { $0[place] = nil } }

    func box(at place: Int) -> MemoryPeripheral? { boxes.withLock { $0[place] } }

    /// In the order in which they came.
    var all: [(place: Int, box: MemoryPeripheral)] {
        boxes.withLock { boxes in boxes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }
}
