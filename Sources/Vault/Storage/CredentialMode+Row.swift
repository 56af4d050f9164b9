import Names

extension CredentialMode {
    /// From a column of a row; nil where the number stands for none.
    init?(stored: Int64) {
        guard let number = UInt8(exactly: stored) else { return nil }
        self.init(rawValue: number)
    }
}
