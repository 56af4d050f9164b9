import Names

extension CredentialMode {
    /// Decodes a column of a row; nil if the number is unknown.
    init?(stored: Int64) {
        guard let number = UInt8(exactly: stored) else { return nil }
        self.init(rawValue: number)
    }
}
