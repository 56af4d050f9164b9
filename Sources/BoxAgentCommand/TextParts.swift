/// Finds a text in another. The library's own search would add regular expressions, a tenth of this program's size
/// (docs/decisions/025-packaging.md).
extension StringProtocol {
    /// Returns the text before and after the first `mark`, compared byte by byte; nil if `mark` does not occur.
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
