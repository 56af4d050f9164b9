import Links

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
    /// Shows these values to every phone that connects: the identity, at most `RadioLimits.identityBytes`, and the name,
    /// at most `Advertisement.nameBytes`. Advertising stays off until `setAdvertising`.
    func start(identity: [UInt8], name: String) async throws(LinkError)
    /// Shows other values than `start` was given, to whoever reads from now on; links that are open go on.
    func show(identity: [UInt8], name: String) async
    func setAdvertising(_ mode: AdvertisingMode) async
    /// Calls `handler` with the radio's condition now and at each change, until `stop`. A radio that has a fault goes
    /// on trying, and works again by itself once the cause is gone.
    func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) async
    /// Whether the radio may accept a link-layer pairing now, where it asks for encrypted links at all.
    func allowPairing(_ allowed: Bool) async
    /// The next link that a phone has opened; `LinkError.closed` after `stop`. One caller at a time.
    func accept() async throws(LinkError) -> any PhoneLink
    /// Ends advertising, accepting and every link.
    func stop() async
}

/// Bounds that hold on every radio.
public enum RadioLimits {
    /// The longest identity: what one characteristic of GATT holds (Core Specification, volume 3, part F, 3.2.9).
    public static let identityBytes = 512
}

extension PeripheralRadio {
    public func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) async { handler(.working("")) }
    public func allowPairing(_ allowed: Bool) async {}
}
