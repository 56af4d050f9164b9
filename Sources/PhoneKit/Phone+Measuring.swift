import PhoneCore
import PhoneMessages

/// Measurements of the path to a box: round trips and signal.
extension Phone {
    /// Sends `size` bytes to a box `count` times, gets them back, and checks each byte.
    ///
    /// - Parameter each: Called with each round trip as it ends.
    public func ping(
        _ target: BoxTarget, size: Int, count: Int, _ interaction: PhoneInteraction,
        each: @escaping @Sendable (Duration) -> Void = { _ in }
    ) async throws(PhoneError) -> PingReport {
        let listener = ErrandListener(interaction, roundTrip: each)
        guard case .pinged(let report) = try await run(.ping(target, size: size, count: count), listener) else {
            throw .nonsense(boxID: target.boxID)
        }
        return report
    }

    /// Measures `count` samples, `every` apart, on a separate channel. Returns nil if the radio cannot measure.
    public func measureSignal(
        _ target: BoxTarget, count: Int, every: Duration, _ interaction: PhoneInteraction = PhoneInteraction(),
        sample: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws(PhoneError) -> [Int]? {
        let listener = ErrandListener(interaction, sample: sample)
        let order = Order.measure(target, count: count, every: every)
        guard case .measured(let samples) = try await run(order, listener) else {
            throw .nonsense(boxID: target.boxID)
        }
        return samples
    }

    /// Sends this phone's thresholds to the box. Nil restores the administrator's thresholds.
    public func setThresholds(
        _ target: BoxTarget, _ thresholds: SignalThresholds?, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .setThresholds(thresholds), ErrandListener(interaction)).outcome
    }
}
