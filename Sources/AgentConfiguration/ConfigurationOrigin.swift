/// Where a value was written.
public struct ConfigurationOrigin: Equatable, Sendable {
    public let path: String
    /// Counts from 1.
    public let line: Int
    /// The number of the file, in the order in which files are read.
    let file: Int

    /// Whether this was read behind `other`, and so holds where both set one key.
    func isBehind(_ other: ConfigurationOrigin) -> Bool {
        (file, line) > (other.file, other.line)
    }
}
