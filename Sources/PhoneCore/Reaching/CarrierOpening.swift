import Links

/// Opens a carrier on a link to the right box.
final class CarrierOpening {
    let deadline: Duration
    private let boxID: String

    init(to boxID: String, for demand: LinkDemand, _ context: inout ErrandContext) {
        self.boxID = boxID
        deadline = context.now + context.limits.identity
        context.openCarrier(for: demand)
    }

    @inline(never)
    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<Carrier, LinkError>? {
        switch input {
        case .opened(let carrier):
            if let shortcoming = carrier.shortcoming {
                context.show(.lesserCarrier(boxID: boxID, shortcoming: shortcoming))
            }
            return .success(carrier)
        case .linkDown(let error): return .failure(error)
        case .channelEnded: return .failure(.closed)
        case .time where context.now >= deadline:
            context.hangUp()
            return .failure(.timedOut)
        default: return nil
        }
    }
}
