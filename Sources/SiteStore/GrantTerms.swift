import SiteCore
import SiteTrust

/// The server's present keys and clock, for issuing grants.
public struct GrantTerms: Sendable {
    /// How far the database's clock may differ from the server's, in seconds.
    private static let tolerance: UInt64 = 60

    let issuing: SiteIssuing
    /// Seconds since 1970.
    private let time: UInt64

    public init(_ issuing: SiteIssuing, time: UInt64) {
        self.issuing = issuing
        self.time = time
    }

    /// Throws `clocks` if the database's clock has jumped since the server looked at it.
    func check(_ database: UInt64) throws(SiteStoreError) {
        guard max(database, time) - min(database, time) <= Self.tolerance else { throw .clocks }
    }
}
