/// How much a channel is going to carry. A radio with several carriers of segments chooses by it.
public enum LinkDemand: Sendable, Hashable {
    /// A few messages, or nobody knows.
    case little
    /// So much that a quick carrier is worth its cost.
    case much
}
