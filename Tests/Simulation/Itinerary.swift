import TestSupport

/// The positions of a person with a phone in a week of five working days. Times are seconds from Monday's midnight.
struct Itinerary: Sendable {
    struct Position {
        let metres: Double
        let metresPerSecond: Double
        let isSeated: Bool
    }

    /// A stay at one distance. The person walks between two stays.
    struct Stay {
        let from: Double
        let until: Double
        let metres: Double
        let isSeated: Bool
    }

    static let walkingMetresPerSecond = 1.2
    /// The distance of a person who has left the house.
    static let goneMetres = 200.0

    private(set) var stays: [Stay] = []
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for day in 0..<5 { addDay(from: Double(day) * 86_400) }
    }

    private mutating func addDay(from midnight: Double) {
        var time = midnight + 8 * 3_600 + uniform(0, 3_600)
        stay(at: Self.goneMetres, until: &time, for: 0)
        let end = time + 8.5 * 3_600
        while time < end {
            stay(at: uniform(0.5, 1.1), until: &time, for: uniform(300, 5_400), seated: true)
            switch uniform(0, 1) {
            // In this order: another desk in the room, just past the door, coffee, a meeting, a short step away.
            case ..<0.25: stay(at: uniform(4, 7), until: &time, for: uniform(60, 1_200))
            case ..<0.4: stay(at: uniform(9, 11), until: &time, for: uniform(20, 300))
            case ..<0.7: stay(at: uniform(14, 19), until: &time, for: uniform(120, 900))
            case ..<0.9: stay(at: uniform(22, 35), until: &time, for: uniform(1_200, 5_400))
            default: stay(at: uniform(2, 3), until: &time, for: uniform(5, 30))
            }
        }
        stay(at: Self.goneMetres, until: &time, for: 60)
    }

    private mutating func stay(at metres: Double, until time: inout Double, for length: Double, seated: Bool = false) {
        if let last = stays.last, last.metres != metres {
            // The phone is out of range beyond 60 m, so the way beyond 60 m takes no time.
            let way = abs(min(metres, 60) - min(last.metres, 60))
            time = max(time, last.until + way / Self.walkingMetresPerSecond)
        }
        stays.append(Stay(from: time, until: time + length, metres: metres, isSeated: seated))
        time += length
    }

    private mutating func uniform(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * (Double(generator.next() >> 11) / Double(1 << 53))
    }

    /// Returns the position at `time`, which must not go back. `cursor` is the index of the last stay that was found.
    func position(at time: Double, _ cursor: inout Int) -> Position {
        while cursor + 1 < stays.count, stays[cursor + 1].from <= time { cursor += 1 }
        let here = stays[cursor]
        guard time > here.until, cursor + 1 < stays.count else {
            return Position(metres: here.metres, metresPerSecond: 0, isSeated: here.isSeated && time >= here.from)
        }
        let next = stays[cursor + 1]
        let (start, goal) = (min(here.metres, 60), min(next.metres, 60))
        // A person leaves at the end of a stay, but comes back to the house just in time for the next stay.
        let way = abs(goal - start)
        let leaving = here.metres < Self.goneMetres ? here.until : next.from - way / Self.walkingMetresPerSecond
        guard time > leaving else { return Position(metres: here.metres, metresPerSecond: 0, isSeated: false) }
        let walked = min((time - leaving) * Self.walkingMetresPerSecond, way)
        let isWalking = walked < way
        return Position(
            metres: start + (goal > start ? walked : -walked),
            metresPerSecond: isWalking ? Self.walkingMetresPerSecond : 0, isSeated: false)
    }
}
