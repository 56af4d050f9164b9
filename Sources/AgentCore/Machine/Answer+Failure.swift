extension Answer {
    /// The reason in words why the vault did not do what it was asked.
    package var problem: String {
        if case .vault(.failed(let error)) = self { "\(error)" } else { "the vault sent an unexpected reply" }
    }

    /// The reason why a change was not stored, or nil if it was.
    package var writeFailure: String? {
        if case .vault(.done) = self { nil } else { problem }
    }
}
