import SiteLink

/// Counts the outcomes of boxes' connections since the server's start.
public struct LinkTally: Sendable, Equatable {
    /// The reason why a connection of a box ended before it was served.
    public enum Refusal: Hashable, Sendable, CaseIterable {
        /// There were too many links, or too many without a proved key from that address.
        case noPlace
        /// The box left, or its handshake failed, before it proved a key.
        case unproven
        case refused(SiteRefusal)

        public static var allCases: [Refusal] { [.noPlace, .unproven] + SiteRefusal.allCases.map { .refused($0) } }
    }

    /// Connections that arrived.
    public internal(set) var came: UInt64 = 0
    /// Connections whose box was served.
    public internal(set) var served: UInt64 = 0
    public private(set) var refused: [Refusal: UInt64] = [:]

    mutating func refuse(_ why: Refusal) { refused[why, default: 0] += 1 }
}
