/// Steps of an order that bring themselves along: what only some hosts do is linked by those alone, and not by a page.
class OwnSteps {
    func deadline(_ limits: PhoneLimits) -> Duration? { nil }
    func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? { nil }
}

/// An order whose steps come with it.
public struct OwnOrder: Sendable {
    let begin: @Sendable (inout ErrandContext) -> OwnSteps
}
