/// The amount of data that a channel will carry. A radio with several carriers chooses one by this amount.
public enum LinkDemand: Sendable, Hashable {
    /// A few messages, or an unknown amount.
    case little
    /// Enough data that a fast carrier is worth its cost.
    case much
}
