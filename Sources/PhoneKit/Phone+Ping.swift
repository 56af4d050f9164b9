import PhoneMessages
import Secrets
import Transport
import Vault

extension Phone {
    /// Sends `count` times `size` bytes to a box, gets them back, and checks each byte. A ping larger than one message is
    /// cut into several, which follow each other without waiting: how many are under way is bounded by the window of the
    /// segments, since the box answers one at a time.
    ///
    /// - Parameter each: Told each round trip as it ends.
    public func ping(
        _ target: BoxTarget, size: Int, count: Int, _ interaction: PhoneInteraction,
        each: @Sendable (Duration) -> Void = { _ in }
    ) async throws(PhoneError) -> PingReport {
        let connected = try await connect(to: target, interaction, bytes: size)
        let result: Result<PingReport, PhoneError>
        do throws(PhoneError) {
            result = .success(try await ping(connected, size: size, count: count, each))
        } catch {
            result = .failure(error)
        }
        await end(connected.channel)
        return try result.get()
    }

    private func ping(
        _ connected: ConnectedBox, size: Int, count: Int, _ each: @Sendable (Duration) -> Void
    ) async throws(PhoneError) -> PingReport {
        var conversation = ChannelConversation()
        // Hello and an empty ping first: what is measured is the way, not the greeting.
        _ = try await roundTrip(of: PingRound(size: 0, seed: 0), connected, &conversation)
        try await confirmIfNeeded(connected, &conversation)
        var roundTrips: [Duration] = []
        var elapsed = Duration.zero
        for number in 0..<count {
            let round = PingRound(size: size, seed: .random(in: .min ... .max) ^ UInt64(number))
            let took = try await roundTrip(of: round, connected, &conversation)
            elapsed += took
            roundTrips.append(took)
            each(took)
        }
        return PingReport(
            bearer: connected.link.bearer, psm: connected.link.psm,
            segmentBytes: connected.link.segmentBytes, size: size,
            roundTrips: roundTrips, elapsed: elapsed)
    }

    /// Sends and receives at the same time: either side holds the other back when it does not take what came.
    private func roundTrip(
        of round: PingRound, _ connected: ConnectedBox, _ conversation: inout ChannelConversation
    ) async throws(PhoneError) -> Duration {
        var messages: [PhoneRequestMessage] = []
        var ids: [RequestID] = []
        for piece in round.pieces {
            let (opened, id) = conversation.open(.ping(Array(round.payload[piece])))
            messages += opened
            ids.append(id)
        }
        let channel = connected.channel
        let sent = messages
        let start = clock.now()
        let sending = self.start {
            // A broken link shows in `receive` as well.
            for message in sent {
                guard await channel.send(message) else { return }
            }
        }
        let result: Result<Duration, PhoneError>
        do throws(PhoneError) {
            for (id, piece) in zip(ids, round.pieces) {
                try await receive(id, round.payload[piece], at: piece.lowerBound, connected, &conversation)
            }
            result = .success(clock.now() - start)
        } catch {
            sending.cancel()
            result = .failure(error)
        }
        await sending.value
        return try result.get()
    }

    /// Waits for one answer, and passes over what else the box says.
    private func receive(
        _ id: RequestID, _ expected: ArraySlice<UInt8>, at offset: Int, _ connected: ConnectedBox,
        _ conversation: inout ChannelConversation
    ) async throws(PhoneError) {
        let boxID = connected.box.digits
        let deadline = clock.now() + limits.firstAnswer
        while true {
            switch await connected.channel.receive(until: deadline) {
            case .message(let message):
                switch conversation.sort(message, current: id) {
                case .answer(.pong(_, let bytes)):
                    guard let wrong = PingRound.firstDifference(bytes, expected) else { return }
                    throw .pingDiffers(boxID: boxID, at: offset + wrong)
                case .agreed, .late, .state, .accountProblem, .kept: continue
                case .versionRefused: throw .protocolVersion(boxID: boxID)
                case .revoked: _ = try await settle(.revoked, connected.box)
                case .answer, .nonsense: throw .nonsense(boxID: boxID)
                }
            case .unintelligible: throw .nonsense(boxID: boxID)
            case .timedOut: throw .noAnswer(boxID: boxID)
            case .cancelled: throw .cancelled
            case .ended: throw conversation.isAgreed ? .linkLost(boxID: boxID) : .notAccepted(boxID: boxID)
            }
        }
    }
}

/// The bytes of one ping: different in each, so that nothing old can pass for an answer.
struct PingRound: Sendable {
    let payload: [UInt8]

    init(size: Int, seed: UInt64) {
        var state = seed
        var payload: [UInt8] = []
        payload.reserveCapacity(size + 8)
        while payload.count < size {
            // SplitMix64.
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            word ^= word >> 31
            for _ in 0..<8 {
                payload.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        payload.removeLast(payload.count - size)
        self.payload = payload
    }

    /// What goes into one message each; an empty ping is one message too.
    var pieces: [Range<Int>] {
        guard !payload.isEmpty else { return [0..<0] }
        return stride(from: 0, to: payload.count, by: MessageLimits.pingBytes).map {
            $0..<min($0 + MessageLimits.pingBytes, payload.count)
        }
    }

    /// Where two pieces differ first; nil: nowhere.
    static func firstDifference(_ bytes: [UInt8], _ expected: ArraySlice<UInt8>) -> Int? {
        if bytes[...] == expected { return nil }
        return zip(bytes, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(bytes.count, expected.count)
    }
}
