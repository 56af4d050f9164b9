import SiteTrust

/// Finds users who have left the directory: decides when to look users up, and evaluates the answers. Pure.
public struct DirectoryWatch: Sendable {
    /// The time without a finished round after which an alarm is raised.
    static let silence: Duration = .seconds(180)
    /// Consecutive rounds in which a user must be absent before the user is revoked.
    static let rounds = 2

    public let terms: DirectoryTerms
    private var round: DirectoryRound?
    private var due: Duration
    /// When the last round ended, or when the watch began.
    private var heard: Duration
    private var last: DirectoryRound?
    private var ended = 0
    /// The reason why the last round was given up, or nil.
    public private(set) var problem: String?
    /// The number of consecutive rounds in which each user was absent.
    private var absences: [Int64: Int] = [:]
    private var accepted: Set<Int64> = []
    private var halted: [DirectoryLeaver] = []

    public init(_ terms: DirectoryTerms, now: Duration) {
        self.terms = terms
        due = now
        heard = now
    }

    /// Begins a round if one is due. Returns the row after which to read the next users, or nil outside a round.
    public mutating func pageDue(now: Duration) -> Int64? {
        if round == nil, now >= due {
            round = DirectoryRound()
            due = now + .seconds(terms.interval)
        }
        return round?.cursor
    }

    public var nextRound: Duration { due }

    /// Returns the lookups for a page of users, or nil if the page needs none.
    public mutating func errand(for page: [DirectoryMember]) -> DirectoryErrand? {
        guard let end = page.last else { return nil }
        round?.cursor = end.row
        let members = page.filter { !terms.localUsers.contains($0.name) }
        guard !members.isEmpty else { return nil }
        return DirectoryErrand(members: members, names: [terms.probe] + members.map(\.name) + [terms.probe])
    }

    /// Returns the lookups for single names, which are independent of the rounds.
    public func errand(about names: [String]) -> DirectoryErrand {
        DirectoryErrand(members: [], names: [terms.probe] + names + [terms.probe])
    }

    /// Returns the answers if the probe existed before and after them, otherwise nil. A failed probe sets `problem`.
    public mutating func trusted(_ answers: [DirectoryAnswer], to errand: DirectoryErrand) -> [DirectoryAnswer]? {
        guard answers.count == errand.names.count, let first = answers.first, let last = answers.last else {
            return nil
        }
        for answer in [first, last] {
            if case .there = answer { continue }
            let why: String =
                switch answer {
                case .unclear(let why): why
                case .notAllowed(let why): "it does not allow \(terms.probe): \(why)"
                case .gone, .there:
                    "it has no user \(terms.probe), although the setting probe says that this user always exists"
                }
            problem = why
            return nil
        }
        return Array(answers.dropFirst().dropLast())
    }

    /// Gives up a round. Its findings do not count, and neither do those of the round before.
    public mutating func giveUp(_ why: String? = nil) {
        guard round != nil else { return }
        problem = why ?? problem
        round = nil
        absences = [:]
        halted = []
    }

    /// Evaluates the answers about a page. Returns users seen for the first time, and users whose phones change groups.
    public mutating func hear(
        _ answers: [DirectoryAnswer], about members: [DirectoryMember]
    ) -> (seen: [Int64], moved: [(row: Int64, memberOf: [String])]) {
        var seen: [Int64] = []
        var moved: [(row: Int64, memberOf: [String])] = []
        for (member, answer) in zip(members, answers) {
            round?.looked += 1
            switch answer {
            case .there(let names, let own):
                if let own { round?.hearRenamed(member.name, own) }
                if !member.wasSeen { seen.append(member.row) }
                guard let names, !terms.mappings.isEmpty else { continue }
                let wanted = member.groups.map { terms.groups($0, ofMemberOf: names) }
                if wanted.allSatisfy({ $0 == nil }) {
                    round?.hear(member, .noGroup)
                } else if zip(wanted, member.groups).contains(where: { $0 != nil && $0 != $1 }) {
                    moved.append((member.row, names))
                }
            case .gone where member.wasSeen: round?.hear(member, .left)
            case .gone: round?.hearStranger(member.name)
            case .notAllowed(let why):
                if !member.wasSeen { seen.append(member.row) }
                round?.hear(member, .notAllowed(why))
            case .unclear(let why): round?.hearUnclear(why)
            }
        }
        return (seen, moved)
    }

    /// Ends a round in which all users were looked up, and returns the users to revoke.
    public mutating func endRound(now: Duration) -> [DirectoryLeaver] {
        guard let ended = round else { return [] }
        (round, last, heard, problem) = (nil, ended, now, nil)
        self.ended += 1
        absences = Dictionary(uniqueKeysWithValues: ended.absent.keys.map { ($0, (absences[$0] ?? 0) + 1) })
        accepted.formIntersection(ended.absent.keys)
        halted = []
        return absences.filter { $0.value >= Self.rounds }.keys.sorted().compactMap { row in
            guard let reason = ended.absent[row], let name = ended.names[row] else { return nil }
            return DirectoryLeaver(row: row, name: name, reason: reason, isAccepted: accepted.contains(row))
        }
    }

    /// Records leavers who are too many to be revoked without an administrator.
    public mutating func halt(_ leavers: [DirectoryLeaver]) { halted = leavers }

    /// Records that an administrator agrees to revoke the halted users. Those who are still absent in the next round are
    /// then revoked. Returns the number of halted users.
    public mutating func accept() -> Int {
        accepted.formUnion(halted.map(\.row))
        return halted.count
    }

    // MARK: - For people

    public func alarms(now: Duration) -> [DirectoryAlarm] {
        var alarms: [DirectoryAlarm] = []
        if now - heard > Self.silence || problem != nil {
            alarms.append(.silent(UInt64(clamping: (now - heard).components.seconds), why: problem))
        }
        if !halted.isEmpty {
            alarms.append(.halted(halted.count, names: halted.prefix(DirectoryRound.namesShown).map(\.name)))
        }
        guard let last else { return alarms }
        if last.strangers > 0 { alarms.append(.strangers(last.strangers, names: last.strangerNames)) }
        if last.renamed > 0 { alarms.append(.renamed(last.renamed, names: last.renamedNames)) }
        if let why = last.firstUnclear { alarms.append(.unclear(last.unclear, why: why)) }
        return alarms
    }

    /// Returns a summary of the last round.
    public func summary(now: Duration) -> String {
        guard let last else { return "no round has finished yet" }
        return
            "round \(ended): \(last.looked) users looked up \((now - heard).components.seconds) s ago, \(last.absent.count) absent"
    }
}
