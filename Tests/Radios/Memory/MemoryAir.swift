import Synchronization

/// The air that phones and boxes of this process share: the running boxes, each with a number as its address.
public final class MemoryAir: Sendable {
    private let boxes = Mutex<[Int: MemoryPeripheral]>([:])

    public init() {}

    /// Adds a box and returns its number.
    func enter(_ box: MemoryPeripheral) -> Int {
        boxes.withLock { boxes in
            let place = (boxes.keys.max() ?? 0) + 1
            boxes[place] = box
            return place
        }
    }

    func leave(_ place: Int) { boxes.withLock { $0[place] = nil } }

    func box(at place: Int) -> MemoryPeripheral? { boxes.withLock { $0[place] } }

    /// The boxes in the order of their arrival.
    var all: [(place: Int, box: MemoryPeripheral)] {
        boxes.withLock { boxes in boxes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }
}
