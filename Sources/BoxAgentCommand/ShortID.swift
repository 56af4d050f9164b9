/// Starts of IDs, which name a device as well as the whole ID.
enum ShortID {
    /// With fewer characters, the next enrolled phone could make them ambiguous.
    static let fewest = 8

    /// Returns the number of characters, at least `fewest`, that tell all of them apart.
    static func count(telling ids: [String]) -> Int {
        let longest = ids.map(\.count).max() ?? 0
        var count = fewest
        while count < longest, Set(ids.map { $0.prefix(count) }).count < Set(ids).count { count += 1 }
        return count
    }
}
