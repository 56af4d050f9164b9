/// How eagerly a box advertises: 20 ms, 152.5 ms and 1022.5 ms between advertisements, of the intervals that Apple
/// recommends to be found by iPhones.
public enum AdvertisingMode: Sendable, Hashable {
    case off
    case fast
    case medium
    case slow
}

/// The phone's radio.
public protocol CentralRadio: Sendable {
    /// Looks for boxes during a time; `found` is told each one and says true when the search may end.
    func scan(
        for duration: Duration, found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError)
    /// Connects to the address of an advertisement; a time limit of 10 s is the radio's own.
    func connect(to address: String) async throws(LinkError) -> any CentralLink
}

/// The box's radio.
public protocol PeripheralRadio: Sendable {
    /// Offers the GATT table with these values, and an L2CAP channel where the radio has them: its PSM is the radio's
    /// choice, and the PSM characteristic tells it. Advertising stays off until `setAdvertising`.
    func start(identity: [UInt8], name: String) async throws(LinkError)
    func setAdvertising(_ mode: AdvertisingMode) async
    /// Calls `handler` with the radio's condition now and at each change, until `stop`. A radio that has a fault goes
    /// on trying, and works again by itself once the cause is gone.
    func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) async
    /// Whether the radio may accept a link-layer pairing now, where it asks for encrypted links at all.
    func allowPairing(_ allowed: Bool) async
    /// The next phone that has subscribed, or opened the L2CAP channel; `LinkError.closed` after `stop`. One caller at
    /// a time. A phone that writes the transfer characteristic while its channel is open loses both.
    func accept() async throws(LinkError) -> any PhoneLink
    /// Ends advertising, accepting and every link.
    func stop() async
}

extension PeripheralRadio {
    public func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) async { handler(.working("")) }
    public func allowPairing(_ allowed: Bool) async {}
}
