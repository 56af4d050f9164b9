/// The findings so far of one round, in which all users are looked up.
struct DirectoryRound: Sendable {
    /// The last row that was read.
    var cursor: Int64 = 0
    var looked = 0
    var absent: [Int64: DirectoryReason] = [:]
    var names: [Int64: String] = [:]
    /// Users whom the directory never had: their number, and some of the names.
    var strangers = 0
    var strangerNames: [String] = []
    /// Users whom the directory has by another name: their number, and some of the names.
    var renamed = 0
    var renamedNames: [String] = []
    /// Users without a clear answer: their number, and the reason for the first.
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

    mutating func hearRenamed(_ name: String, _ own: String) {
        renamed += 1
        if renamedNames.count < Self.namesShown { renamedNames.append("\(name) is \(own)") }
    }

    mutating func hearUnclear(_ why: String) {
        unclear += 1
        firstUnclear = firstUnclear ?? why
    }
}
