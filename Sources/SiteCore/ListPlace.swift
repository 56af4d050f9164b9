/// A row's place in a list that is read in parts: the sort key and the row number. No two rows share both.
public struct ListPlace: Sendable, Equatable {
    /// A box's number, or the name of a phone's user: at most 64 bytes.
    public let key: String
    public let row: Int64

    public init(key: String, row: Int64) {
        self.key = key
        self.row = row
    }

    /// Parses `12 anna`, as a page returns it. Returns nil if the text is not valid.
    public init?(_ text: String) {
        guard let space = text.firstIndex(of: " "), let row = Int64(text[..<space]), row >= 0 else { return nil }
        let key = String(text[text.index(after: space)...])
        guard key.utf8.count <= 64, !key.utf8.contains(0) else { return nil }
        (self.key, self.row) = (key, row)
    }

    public var text: String { "\(row) \(key)" }
}
