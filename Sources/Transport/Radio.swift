import Links

/// The phone's radio.
public protocol CentralRadio: Sendable {
    /// Searches for boxes for a given time. `found` gets each advertisement and returns true to end the search early.
    func scan(
        for duration: Duration, found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError)
    /// Connects to the address of an advertisement. The radio applies a time limit of 10 s.
    func connect(to address: String) async throws(LinkError) -> any CentralLink
}

/// The box's radio.
public protocol PeripheralRadio: Sendable {
    /// Shows these values to every phone that connects. The identity has at most `RadioLimits.identityBytes`, and the
    /// name at most `Advertisement.nameBytes`. Advertising stays off until `setAdvertising`.
    func start(identity: [UInt8], name: String) async throws(LinkError)
    /// Replaces the values that `start` was given, for all later reads. Open links continue.
    func show(identity: [UInt8], name: String) async
    func setAdvertising(_ mode: AdvertisingMode) async
    /// Calls `handler` with the radio's condition now and at each change, until `stop`. A faulty radio keeps trying.
    func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) async
    /// Allows or forbids link-layer pairing. This matters only to radios that require encrypted links.
    func allowPairing(_ allowed: Bool) async
    /// Returns the next link that a phone has opened. Throws `LinkError.closed` after `stop`. One caller at a time.
    func accept() async throws(LinkError) -> any PhoneLink
    /// Ends advertising, accepting and all links.
    func stop() async
}

/// Bounds that hold on every radio.
public enum RadioLimits {
    /// The longest identity, in bytes: the limit of GATT (Core Specification, volume 3, part F, 3.2.9).
    public static let identityBytes = 512
}

extension PeripheralRadio {
    public func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) async { handler(.working("")) }
    public func allowPairing(_ allowed: Bool) async {}
}
