/// Signal strength thresholds that a device measured for itself, in dBm.
public struct StoredThresholds: Equatable, Sendable {
    public let nearDBm: Int
    public let farDBm: Int

    public init(nearDBm: Int, farDBm: Int) {
        self.nearDBm = nearDBm
        self.farDBm = farDBm
    }
}
