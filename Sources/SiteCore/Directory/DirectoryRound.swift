/// What one round has found so far.
struct DirectoryRound: Sendable {
    /// The last row that was read.
    var cursor: Int64 = 0
    var looked = 0
    var absent: [Int64: DirectoryReason] = [:]
    var names: [Int64: String] = [:]
    /// Whom the directory has never had: how many, and some of them.
    var strangers = 0
    var strangerNames: [String] = []
    /// Whom nothing could be said of: how many, and why of the first.
    var unclear = 0
    var firstUnclear: String?

    static let namesShown = 5

    mutating func hear(_ member: DirectoryMember, _ reason: DirectoryReason) {
        absent[member.row] = reason
        names[member.row] = member.name
    }

    mutating func hearStranger(_ name: String) {
        strangers += 1
        if strangerNames.count < Self.namesShown { strangerNames.append(name) }
    }

    mutating func hearUnclear(_ why: String) {
        unclear += 1
        firstUnclear = firstUnclear ?? why
    }
}
