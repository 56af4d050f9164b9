import SiteLink

/// What became of connections of boxes since a server's start, counted.
public struct LinkTally: Sendable, Equatable {
    /// Why a connection of a box ended before it was served.
    public enum Refusal: Hashable, Sendable, CaseIterable {
        /// Too many links, or too many from that address that had not shown their key.
        case noPlace
        /// It went, or its handshake failed, before it had shown a key.
        case unproven
        case refused(SiteRefusal)

        public static var allCases: [Refusal] { [.noPlace, .unproven] + SiteRefusal.allCases.map { .refused($0) } }
    }

    /// Connections that came.
    public internal(set) var came: UInt64 = 0
    /// Those whose box was served.
    public internal(set) var served: UInt64 = 0
    public private(set) var refused: [Refusal: UInt64] = [:]

    mutating func refuse(_ why: Refusal) { refused[why, default: 0] += 1 }
}
