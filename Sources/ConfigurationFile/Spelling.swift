/// Finds the word that a user may have meant.
public enum Spelling {
    /// Returns the candidate with the fewest changed letters: at most two, or three for a word of over 8 bytes.
    public static func nearest(to word: String, among candidates: [String]) -> String? {
        let letters = Array(word.utf8.prefix(64))
        let limit = letters.count > 8 ? 3 : 2
        let ranked = candidates.map { (distance(letters, Array($0.utf8)), $0) }.filter { $0.0 <= limit }
        return ranked.min { $0.0 < $1.0 }?.1
    }

    /// Returns Levenshtein's distance, calculated row by row.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, diagonal + 1, row[j] + 1)
            }
        }
        return row[right.count]
    }
}
