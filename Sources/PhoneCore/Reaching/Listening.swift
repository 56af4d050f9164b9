import Links

/// Listens for a time and collects the boxes heard, one for each address, at most `PhoneLimits.seenBoxes`.
final class Listening {
    private var heard: [Advertisement] = []

    init(for duration: Duration, _ context: inout ErrandContext) {
        context.listen(for: duration)
    }

    /// Returns the boxes that were heard when the scan ends, at most `PhoneLimits.seenBoxes`. Fails if the radio cannot
    /// listen.
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
    /// Returns nil for a scan that ended without a fault, even if it heard no box.
    init?(scan error: LinkError?) {
        switch error {
        case nil, .timedOut, .notFound: return nil
        case .cancelled: self = .cancelled
        case .some(let error): self = .radio(error)
        }
    }
}
