/// The place where a value was written.
public struct ConfigurationOrigin: Equatable, Sendable {
    public let path: String
    /// Counts from 1.
    public let line: Int
    /// The number of the file, in the order in which files are read.
    let file: Int

    /// Returns true if this was read after `other`, so that it overrides the same key there.
    func isBehind(_ other: ConfigurationOrigin) -> Bool {
        (file, line) > (other.file, other.line)
    }
}
