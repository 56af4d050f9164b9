import EventLoop
import SiteCore

/// Coordinates lookups in the directory: rounds of all users, and questions about single names.
actor DirectoryDesk {
    /// How long an administrator who adds a phone waits for an answer.
    private static let patience: Duration = .seconds(8)
    /// The most names that may be asked about at once.
    private static let questionLimit = 64

    nonisolated let loop: EpollLoop
    /// Signals that there is a lookup to do, or an answer.
    nonisolated let changed: WaitPoint
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let terms: DirectoryTerms
    private var watch: DirectoryWatch
    /// Names that were asked about and have no answer yet.
    private var questions: [String] = []
    private var answers: [String: DirectoryAnswer] = [:]
    private var isServed = false

    init(_ terms: DirectoryTerms, on loop: EpollLoop) {
        self.loop = loop
        self.terms = terms
        changed = WaitPoint(on: loop)
        watch = DirectoryWatch(terms, now: loop.now())
    }

    // MARK: - For boxsite-directory

    /// Begins the connection. Returns false if there is one already.
    func begin() -> Bool {
        guard !isServed else { return false }
        isServed = true
        return true
    }

    func end() {
        isServed = false
        watch.giveUp()
    }

    enum Step: Sendable {
        case look(DirectoryErrand)
        /// Read the users after that row.
        case read(Int64)
        /// There is nothing to do before that time.
        case wait(until: Duration)
    }

    func step() -> Step {
        if !questions.isEmpty { return .look(watch.errand(about: Array(questions.prefix(16)))) }
        if let row = watch.pageDue(now: loop.now()) { return .read(row) }
        return .wait(until: watch.nextRound)
    }

    func errand(for page: [DirectoryMember]) -> DirectoryErrand? { watch.errand(for: page) }
    func endRound() -> [DirectoryLeaver] { watch.endRound(now: loop.now()) }
    func halt(_ leavers: [DirectoryLeaver]) { watch.halt(leavers) }
    func giveUp(_ why: String) { watch.giveUp(why) }

    /// Evaluates the answers to a round. Returns nil for answers that are not trusted, and for answers to questions.
    func hear(
        _ heard: [DirectoryAnswer], to errand: DirectoryErrand
    ) -> (seen: [Int64], moved: [(row: Int64, memberOf: [String])])? {
        defer { changed.signal() }
        let trusted = watch.trusted(heard, to: errand)
        guard errand.members.isEmpty else {
            guard let trusted else {
                watch.giveUp()
                return nil
            }
            return watch.hear(trusted, about: errand.members)
        }
        let names = errand.names.dropFirst().dropLast()
        questions.removeAll { names.contains($0) }
        for (index, name) in names.enumerated() where answers.count < Self.questionLimit {
            answers[name] = trusted?[index] ?? .unclear("the directory sent an unexpected answer")
        }
        return nil
    }

    // MARK: - For administrators

    /// Returns the directory's present answer about that name, or nil if it is a local user's.
    func ask(_ name: String) async -> DirectoryAnswer? {
        guard !terms.localUsers.contains(name) else { return nil }
        let until = loop.now() + Self.patience
        guard isServed else { return .unclear("boxsite-directory is not running") }
        guard questions.count < Self.questionLimit else { return .unclear("too many questions are open") }
        answers[name] = nil
        if !questions.contains(name) { questions.append(name) }
        changed.signal()
        while true {
            let mark = changed.mark()
            if let answer = answers.removeValue(forKey: name) { return answer }
            guard await changed.wait(since: mark, until: until) != .timedOut else { break }
        }
        questions.removeAll { $0 == name }
        return .unclear("the directory did not answer in time")
    }

    var problem: String? { watch.problem }
    func accept() -> Int { watch.accept() }
    var alarms: [DirectoryAlarm] { watch.alarms(now: loop.now()) }
    var summary: String { watch.summary(now: loop.now()) }
}
