import Links

/// What carries the segments of a link, as the radio made it.
public struct Carrier: Equatable, Sendable {
    /// For people, such as "GATT".
    public var name: String
    /// What the handshake's prologue says of it: at least one byte, in the radio's own words.
    public var binding: [UInt8]
    public var limits: SegmentLimits
    /// What it is meant for.
    public var carries: LinkDemand
    /// What a person is told when a carrier was wanted that is not to be had now: it goes behind the box's name.
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
