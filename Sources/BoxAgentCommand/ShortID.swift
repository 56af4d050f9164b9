/// Beginnings of ids, which name a device as well as all of it does.
enum ShortID {
    /// Fewer characters would be ambiguous with the next phone that is enrolled.
    static let fewest = 8

    /// How many characters tell all of them apart, at least `fewest`.
    static func count(telling ids: [String]) -> Int {
        let longest = ids.map(\.count).max() ?? 0
        var count = fewest
        while count < longest, Set(ids.map { $0.prefix(count) }).count < Set(ids).count { count += 1 }
        return count
    }
}
