import Links

/// Connects to a box and reads its identity. Leaves the link open for the caller.
///
/// ```
/// linking ──linked──► identifying ──identity──► (identity)
///    └────── linkDown, too late ──┴──► (LinkError)
/// ```
final class Visit {
    let advertisement: Advertisement
    private(set) var deadline: Duration

    @inline(never)
    init(_ advertisement: Advertisement, _ context: inout ErrandContext) {
        self.advertisement = advertisement
        deadline = context.now + context.limits.connect
        context.connect(to: advertisement)
    }

    @inline(never)
    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<[UInt8], LinkError>? {
        switch input {
        case .linked:
            deadline = context.now + context.limits.identity
            context.identify()
            return nil
        case .identity(let bytes): return .success(bytes)
        case .linkDown(let error): return .failure(error)
        case .time where context.now >= deadline:
            context.hangUp()
            return .failure(.timedOut)
        default: return nil
        }
    }
}
