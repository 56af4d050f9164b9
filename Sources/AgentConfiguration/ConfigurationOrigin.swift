/// The place where a value was written.
public struct ConfigurationOrigin: Equatable, Sendable {
    public let path: String
    /// Counts from 1.
    public let line: Int
    /// The number of the file, in the order in which files are read.
    let file: Int

    /// Returns true if the value here was read after the one at `other`, which it overrides.
    func isBehind(_ other: ConfigurationOrigin) -> Bool {
        (file, line) > (other.file, other.line)
    }
}
