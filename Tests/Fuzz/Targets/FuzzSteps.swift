/// An input read as a list of small choices: what happens to a machine, to whom, and when.
struct FuzzSteps {
    private var rest: ArraySlice<UInt8>
    /// Time since the beginning. It never goes back.
    private(set) var now = Duration.zero

    init(_ data: UnsafePointer<UInt8>?, _ count: Int) {
        rest = input(data, count)[...]
    }

    /// The next event's kind; nil at the end. Each event also lets time pass: none, milliseconds, seconds or minutes.
    mutating func next(of kinds: UInt8) -> UInt8? {
        guard let byte = rest.popFirst() else { return nil }
        let pause = choice(of: 64)
        switch pause {
        case 0..<32: break
        case 32..<44: now += .milliseconds(100 * (Int(pause) - 31))
        case 44..<60: now += .seconds(4 * (Int(pause) - 43))
        default: now += .seconds(600 * (Int(pause) - 59))
        }
        return byte % kinds
    }

    /// One of so many; 0 when the input is over.
    mutating func choice(of count: UInt8) -> UInt8 { (rest.popFirst() ?? 0) % count }

    mutating func bytes() -> [UInt8] {
        let length = Int(rest.popFirst() ?? 0)
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }
}

/// The promise of every machine with a deadline: when it has been handed the timer, nothing is due any more. Its shell would
/// otherwise hand it in again at once, for ever.
func promiseNothingIsDue(_ deadline: Duration?, at now: Duration) {
    guard let deadline else { return }
    promise(deadline > now, "what was due is still due after the timer")
}
