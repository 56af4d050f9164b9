import SiteLink

/// The state of a box's connection.
enum LinkState: Sendable {
    case unproven(address: String, network: String)
    /// The key is proved. The box's hello, which the same message contains, comes next.
    case proven(address: String, key: [UInt8], codeID: [UInt8]?)
    case joining(address: String, key: [UInt8], hello: SiteHello)
    /// The key is unknown, but its box may have joined at another server just now. A later `SiteNews` decides.
    case unknown(address: String, key: [UInt8], hello: SiteHello)
    case served(ServedBox)
    case closing

    var isServed: Bool { if case .served = self { true } else { false } }
}
