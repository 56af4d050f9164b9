/// An input as a list of small choices: the event, its subject and its time.
struct FuzzSteps {
    private var rest: ArraySlice<UInt8>
    /// The time since the beginning, which never goes back.
    private(set) var now = Duration.zero

    init(_ data: UnsafePointer<UInt8>?, _ count: Int) {
        rest = input(data, count)[...]
    }

    /// Returns the next event's kind, or nil at the end. Each event adds no time, milliseconds, seconds or minutes.
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

    /// Returns a number below `count`, or 0 at the end of the input.
    mutating func choice(of count: UInt8) -> UInt8 { (rest.popFirst() ?? 0) % count }

    mutating func bytes() -> [UInt8] {
        let length = Int(rest.popFirst() ?? 0)
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }
}

/// Checks a machine with a deadline: after the timer event, nothing may still be due. Otherwise, the machine's shell
/// would send the event again at once, in an endless loop.
func promiseNothingIsDue(_ deadline: Duration?, at now: Duration) {
    guard let deadline else { return }
    promise(deadline > now, "what was due is still due after the timer")
}
