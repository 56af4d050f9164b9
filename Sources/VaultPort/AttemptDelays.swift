/// How long nobody may try again after so many wrong PINs.
public enum AttemptDelays: Equatable, Sendable, CaseIterable {
    case none
    /// Nothing after the first to the fourth, then 1, 5, 15, 15 and 60 minutes.
    case growing

    /// Seconds, 0 to 3600, after the wrong PIN of this number, counted from 1.
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
