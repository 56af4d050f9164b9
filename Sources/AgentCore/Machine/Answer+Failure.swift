extension Answer {
    /// In words, why the vault did not do or say what it was asked for.
    package var problem: String {
        if case .vault(.failed(let error)) = self { "\(error)" } else { "the vault sent an unexpected reply" }
    }

    /// Why a change was not stored; nil when it was.
    package var writeFailure: String? {
        if case .vault(.done) = self { nil } else { problem }
    }
}
