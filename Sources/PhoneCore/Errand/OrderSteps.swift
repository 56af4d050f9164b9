import VaultPort

/// The steps of one order. Each kind of order has a subclass, so that a host links only those that it uses.
class OrderSteps {
    /// When `.time` is next due, as time since boot.
    func deadline(_ context: ErrandContext) -> Duration? { nil }
    func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? { nil }

    /// The box at the other end of the watched channel.
    var watched: WatchedBox? { nil }
    /// The watched box, once one of several is chosen.
    var only: KnownBox? { nil }
}

/// Ends an order with the answer to its request.
final class RequestingSteps: OrderSteps {
    private let requesting: Requesting

    init(_ requesting: Requesting) { self.requesting = requesting }

    override func deadline(_ context: ErrandContext) -> Duration? { requesting.deadline(context.limits) }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch requesting.handle(input, &context) {
        case nil: nil
        case .success(let answer): .answered(answer)
        case .failure(let error): .failed(error)
        }
    }
}

/// Opens the phone-held credential.
final class OpeningSteps: OrderSteps {
    private let opening: CredentialOpening

    init(_ opening: CredentialOpening) { self.opening = opening }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch opening.handle(input, &context) {
        case nil: nil
        case .opened(let secret): .opened(secret)
        case .refused(let outcome): .loggedIn(outcome)
        case .failed(let error): .failed(error)
        }
    }
}

/// Only finds out which box is meant.
final class ReachingSteps: OrderSteps {
    private let connecting: Connecting

    init(_ connecting: Connecting) { self.connecting = connecting }

    override func deadline(_ context: ErrandContext) -> Duration? { connecting.deadline(context.limits) }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch connecting.handle(input, &context) {
        case nil: nil
        case .success(let box): .found(box)
        case .failure(let error): .failed(error)
        }
    }
}
