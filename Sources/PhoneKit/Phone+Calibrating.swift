import PhoneMessages
import Vault

/// What the phone hears of a box, and the thresholds that follow from it.
extension Phone {
    /// Measures `count` samples, `every` so long, on a channel of its own. Nil when the radio cannot measure.
    public func measureSignal(
        _ target: BoxTarget, count: Int, every: Duration, _ interaction: PhoneInteraction = PhoneInteraction(),
        sample: @Sendable (Int) async -> Void = { _ in }
    ) async throws(PhoneError) -> [Int]? {
        let connected = try await connect(to: target, interaction)
        let result: Result<[Int]?, PhoneError>
        do throws(PhoneError) {
            result = .success(try await measure(connected, count, every, sample))
        } catch {
            result = .failure(error)
        }
        await end(connected.channel)
        return try result.get()
    }

    private func measure(
        _ connected: ConnectedBox, _ count: Int, _ every: Duration, _ sample: @Sendable (Int) async -> Void
    ) async throws(PhoneError) -> [Int]? {
        // The box takes nobody's word for a phone that has said nothing.
        var conversation = ChannelConversation()
        let id = await send(.status, on: connected.channel, &conversation)
        let asked = await answer(to: id, .simple, on: connected.channel, &conversation, PhoneInteraction())
        _ = try await settle(asked.end, connected.box)
        var samples: [Int] = []
        // A sample may fail; one in two may not.
        for _ in 0..<2 * count where samples.count < count {
            if let measured = await connected.link.signalStrength() {
                samples.append(measured)
                await sample(measured)
            } else if samples.isEmpty {
                return nil
            }
            try await pause(every)
        }
        return samples
    }

    /// Gives the box this phone's thresholds; nil: the administrator's again.
    public func setThresholds(
        _ target: BoxTarget, _ thresholds: SignalThresholds?, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .simple, .harmless, interaction) { _ in .setThresholds(thresholds) }.outcome
    }
}
