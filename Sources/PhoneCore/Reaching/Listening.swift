import Links

/// Listens for a time and remembers everybody who is heard, each address once, at most `PhoneLimits.seenBoxes`.
final class Listening {
    private var heard: [Advertisement] = []

    init(for duration: Duration, _ context: inout ErrandContext) {
        context.listen(for: duration)
    }

    /// Everybody, at the end; `radio` when there is no radio to listen with.
    @inline(never)
    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<[Advertisement], PhoneError>? {
        switch input {
        case .heard(let advertisement):
            if heard.count < context.limits.seenBoxes,
                !heard.contains(where: { $0.address.hasBytes(of: advertisement.address) })
            {
                heard.append(advertisement)
            }
            return nil
        case .scanOver(let error):
            if let error = PhoneError(scan: error) { return .failure(error) }
            return .success(heard)
        default: return nil
        }
    }
}

extension PhoneError {
    /// A scan that heard nobody is no failure.
    init?(scan error: LinkError?) {
        switch error {
        case nil, .timedOut, .notFound: return nil
        case .cancelled: self = .cancelled
        case .some(let error): self = .radio(error)
        }
    }
}
