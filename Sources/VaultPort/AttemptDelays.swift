/// The wait before the next try after a number of wrong PINs.
public enum AttemptDelays: Equatable, Sendable, CaseIterable {
    case none
    /// No wait after the first to the fourth wrong PIN, then 1, 5, 15, 15 and 60 minutes.
    case growing

    /// Returns the wait in seconds, 0 to 3600, after wrong PIN number `wrong`, counted from 1.
    public func seconds(after wrong: Int) -> UInt32 {
        switch (self, wrong) {
        case (.none, _), (.growing, ..<5): 0
        case (.growing, 5): 60
        case (.growing, 6): 5 * 60
        case (.growing, 7...8): 15 * 60
        case (.growing, _): 60 * 60
        }
    }
}
