import PhoneMessages
import VaultPort

/// Sends bytes to a box, receives them back, and checks each. A ping larger than one message is split. The pieces
/// follow as the box's window allows, because the box answers one at a time.
///
/// ```
/// connecting ──► greeting (hello and an empty ping) ──► confirming, for a new row ──► rounds ──► (round trips)
/// ```
final class Pinging: OrderSteps {
    private indirect enum Stage {
        case connecting(Connecting)
        case confirming(Confirming)
        case pinging(Round, isGreeting: Bool)
        case settling(Settling)
    }

    /// One ping under way.
    private final class Round {
        let content: PingRound
        let began: Duration
        var deadline: Duration
        /// The ids of the pieces sent, in order. `received` counts the answers.
        var sent: [RequestID] = []
        var received = 0

        init(_ content: PingRound, began: Duration, deadline: Duration) {
            self.content = content
            self.began = began
            self.deadline = deadline
        }
    }

    private let target: BoxTarget
    private let size: Int
    private var left: Int
    private var roundTrips: [Duration] = []
    private var stage: Stage
    private var box: KnownBox?

    /// - Parameters:
    ///   - size: The bytes of one ping, within `PingLimits.size`.
    ///   - count: The number of pings, within `PingLimits.count`.
    init(_ target: BoxTarget, size: Int, count: Int, _ context: inout ErrandContext) {
        self.target = target
        self.size = size
        left = count
        stage = .connecting(Connecting(to: target, bytes: size, &context))
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        switch stage {
        case .connecting(let connecting): connecting.deadline(context.limits)
        case .confirming(let confirming): confirming.deadline
        case .pinging(let round, _): round.deadline
        case .settling: nil
        }
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch stage {
        case .connecting(let connecting):
            let result = connecting.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success(let box):
                self.box = box
                // Keep the greeting out of the measurement.
                begin(PingRound(size: 0), isGreeting: true, &context)
                return nil
            }
        case .confirming(let confirming):
            let result = confirming.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success: return next(&context)
            }
        case .pinging(let round, let isGreeting):
            return advance(round, input, isGreeting, &context)
        case .settling(let settling):
            guard case .failure(let error)? = settling.handle(input) else { return nil }
            return .failed(error)
        }
    }

    private func next(_ context: inout ErrandContext) -> ErrandEnd? {
        guard left > 0 else {
            guard let carrier = context.carrier else { return .failed(.linkLost(boxID: target.boxID)) }
            return .pinged(PingReport(carrier: carrier, size: size, roundTrips: roundTrips))
        }
        left -= 1
        begin(PingRound(size: size), isGreeting: false, &context)
        return nil
    }

    private func begin(_ content: PingRound, isGreeting: Bool, _ context: inout ErrandContext) {
        let round = Round(
            content, began: context.now, deadline: context.now + context.limits.firstAnswer)
        send(round, &context)
        stage = .pinging(round, isGreeting: isGreeting)
    }

    /// Sends as many pieces as there is room for. Answers make more room.
    private func send(_ round: Round, _ context: inout ErrandContext) {
        let pieces = round.content.pieces
        while round.sent.count < pieces.count {
            let piece = pieces[round.sent.count]
            // The first piece needs no check: at most a short hello is before it in the queue.
            guard round.sent.isEmpty || context.hasRoom(for: piece.count + MessageLimits.messageBytes) else { return }
            round.sent.append(context.send(.ping(Array(round.content.payload[piece]))))
        }
    }

    private func advance(
        _ round: Round, _ input: Input, _ isGreeting: Bool, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        let boxID = target.boxID
        let isAgreed = context.conversation?.isAgreed ?? false
        switch input {
        case .cancel: return .failed(.cancelled)
        case .unintelligible: return .failed(.nonsense(boxID: boxID))
        case .channelEnded, .linkDown:
            return .failed(isAgreed ? .linkLost(boxID: boxID) : .notAccepted(boxID: boxID))
        case .time where context.now >= round.deadline: return .failed(.noAnswer(boxID: boxID))
        case .message(let message):
            let current = round.received < round.sent.count ? round.sent[round.received] : nil
            switch context.sort(message, current: current) {
            case .answer(.pong(_, let bytes)):
                if let end = received(bytes, round, isGreeting, &context) { return end }
            case .agreed, .late, .state, .kept, .siteGrant: break
            case .versionRefused: return .failed(.protocolVersion(boxID: boxID))
            case .refusedGrant(.grantWanted): return .failed(.linkLost(boxID: boxID))
            case .refusedGrant(let code): return .failed(.grantRefused(boxID: boxID, code))
            case .siteEntry(let entry):
                guard let box else { return .failed(.siteStopped) }
                stage = .settling(Settling(.takenBack(entry), box, &context))
                return nil
            case .revoked:
                guard let box else { return .failed(.revoked(boxID: boxID)) }
                stage = .settling(Settling(.revoked, box, &context))
                return nil
            case .answer, .nonsense: return .failed(.nonsense(boxID: boxID))
            }
        default: break
        }
        if round.received < round.content.pieces.count { send(round, &context) }
        return nil
    }

    private func received(
        _ bytes: [UInt8], _ round: Round, _ isGreeting: Bool, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        let pieces = round.content.pieces
        let piece = pieces[round.received]
        if let wrong = PingRound.firstDifference(bytes, round.content.payload[piece]) {
            return .failed(.pingDiffers(boxID: target.boxID, at: piece.lowerBound + wrong))
        }
        round.received += 1
        round.deadline = context.now + context.limits.firstAnswer
        guard round.received == pieces.count else { return nil }
        if isGreeting {
            if let box, let confirming = Confirming(box, &context) {
                stage = .confirming(confirming)
                return nil
            }
        } else {
            let took = context.now - round.began
            roundTrips.append(took)
            context.emit(.roundTrip(took))
        }
        return next(&context)
    }
}
