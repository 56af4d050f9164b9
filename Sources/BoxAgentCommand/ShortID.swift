/// Shortened IDs. Commands accept the start of an ID in place of the whole ID.
enum ShortID {
    /// With fewer characters, the next enrolled phone could make an ID ambiguous.
    static let fewest = 8

    /// Returns the number of characters, at least `fewest`, that tell all IDs apart.
    static func count(telling ids: [String]) -> Int {
        let longest = ids.map(\.count).max() ?? 0
        var count = fewest
        while count < longest, Set(ids.map { $0.prefix(count) }).count < Set(ids).count { count += 1 }
        return count
    }
}
