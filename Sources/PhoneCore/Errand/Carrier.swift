import Links

/// The carrier of a link's segments, as the radio opened it.
public struct Carrier: Equatable, Sendable {
    /// A name for people, such as "GATT".
    public var name: String
    /// The carrier in the handshake's prologue: at least one byte, chosen by the radio.
    public var binding: [UInt8]
    public var limits: SegmentLimits
    /// The demand that this carrier serves.
    public var carries: LinkDemand
    /// A phrase for the person if a better carrier is not available now. The phrase follows the box's name.
    public var shortcoming: String?

    public init(
        name: String, binding: [UInt8], limits: SegmentLimits, carries: LinkDemand, shortcoming: String? = nil
    ) {
        self.name = name
        self.binding = binding
        self.limits = limits
        self.carries = carries
        self.shortcoming = shortcoming
    }
}
