/// Finds a text in another. The library's own search brings regular expressions along, a tenth of this program
/// (docs/decisions/025-packaging.md).
extension StringProtocol {
    /// What stands before and behind the first `mark`, byte for byte; nil where it does not occur.
    func parts(around mark: String) -> (before: String, behind: String)? {
        var start = utf8.startIndex
        while start < utf8.endIndex {
            if utf8[start...].starts(with: mark.utf8) {
                return (String(self[..<start]), String(self[utf8.index(start, offsetBy: mark.utf8.count)...]))
            }
            start = utf8.index(after: start)
        }
        return nil
    }
}
