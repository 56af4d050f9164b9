import SiteLink

/// The state of a box's connection.
enum LinkState: Sendable {
    case unproven(address: String)
    /// The hello follows the proof, in the same message.
    case proven(address: String, key: [UInt8], codeID: [UInt8]?)
    case joining(address: String, key: [UInt8], hello: SiteHello)
    /// The key is unknown, but may have joined at another server since the last refresh. A later `SiteNews` decides.
    case unknown(address: String, key: [UInt8], hello: SiteHello)
    case served(ServedBox)
    case closing

    var isServed: Bool { if case .served = self { true } else { false } }
}
