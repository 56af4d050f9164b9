import VaultPort

/// The steps of one order, from its beginning to its end. Each kind of order brings its own: what a host does not order, it does not link.
class OrderSteps {
    /// When `.time` is next due, as time since boot.
    func deadline(_ context: ErrandContext) -> Duration? { nil }
    func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? { nil }

    /// The box at the other end of the channel, while one is watched.
    var watched: WatchedBox? { nil }
    /// The box that is watched, once it is known which.
    var only: KnownBox? { nil }
}

/// What a step before says, as an order's end.
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

/// Opens what the phone keeps.
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

/// Reaches one of several boxes, and no more.
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
