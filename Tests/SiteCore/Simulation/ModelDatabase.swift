import SiteLink
import SiteTrust

@testable import SiteCore

/// A `SiteStore` without SQL that all servers share, with backups to restore.
final class ModelDatabase {
    struct State {
        var changes = 1
        var generation: UInt32 = 1
        var number: UInt64 = 0
        var documents: [(version: UInt32, generation: UInt32, document: SiteDocument, change: Int)] = []
        var entries: [(number: UInt64, entry: Revocation)] = []
        var boxes: [Int64: (box: SiteBox, change: Int)] = [:]
        var codes: [[UInt8]: (usedBy: [UInt8]?, box: Int64)] = [:]
        var users: [Int: (owner: SiteUser, until: UInt64)] = [:]
        var phones: [[UInt8]: SitePhone] = [:]
    }

    /// How far a server has read, like `SiteCursor` but without pages.
    struct Cursor: Equatable {
        var seen = 0
        var generation: UInt32 = 0
        var number: UInt64 = 0
        var given: UInt64 = 0
    }

    struct Lost: Error {}

    var state = State()
    private var backups: [State] = []
    var isReachable = true
    /// All grants that were ever issued, even those that a restored backup lacks: phones still have them.
    var issued: [ClaimedGrant] = []

    func backUp() { backups.append(state) }

    /// Restores a random backup. Returns false if there is none.
    func restore(_ random: inout some RandomNumberGenerator) -> Bool {
        guard let backup = backups.randomElement(using: &random) else { return false }
        state = backup
        return true
    }

    var document: SiteDocument? { state.documents.last?.document }

    func change() throws {
        guard isReachable else { throw Lost() }
        state.changes += 1
    }

    func add(_ document: SiteDocument, version: UInt32, generation: UInt32) throws {
        try change()
        state.documents.append((version, generation, document, state.changes))
        if generation != state.generation { (state.generation, state.number, state.entries) = (generation, 0, []) }
    }

    func add(_ entry: Revocation) throws {
        try change()
        guard entry.facts.generation.count == state.generation else { return }
        _ = insert(entry)
    }

    /// Adds an entry under the next number. Returns false if the entry exists already.
    func insert(_ entry: Revocation) -> Bool {
        let content = entry.bytes.dropLast(64)
        guard !state.entries.contains(where: { $0.entry.bytes.dropLast(64) == content }) else { return false }
        state.number += 1
        state.entries.append((state.number, entry))
        return true
    }

    func store(_ entries: [Revocation], above number: UInt64, at time: UInt64) throws {
        try change()
        let lacking = entries.filter { $0.facts.generation.count == state.generation }
        let numbers = lacking.map { entry -> UInt64 in
            if case .user(_, let number) = entry.facts.subject { number } else { 0 }
        }
        let seen = max(number, numbers.max() ?? 0)
        var isRestored = seen > state.number
        if isRestored { state.number = seen + 1 }
        for entry in lacking where insert(entry) {
            takeBack(entry.facts)
            isRestored = true
        }
        if isRestored { try revokeAnew(upTo: seen, at: time) }
    }

    func put(_ box: SiteBox) throws {
        try change()
        state.boxes[box.id] = (box, state.changes)
    }

    func invite(_ box: SiteBox, code: [UInt8]) throws {
        try put(box)
        state.codes[code] = (nil, box.id)
    }

    func join(key: [UInt8], code: [UInt8], at time: UInt64) throws -> Result<SiteBox, SiteRefusal> {
        try change()
        let row = state.codes[code].flatMap { code in
            state.boxes[code.box].map { JoinCodeRow(usedBy: code.usedBy, expiry: .max, box: $0.box) }
        }
        let other = state.boxes.values.first { $0.box.key == key }?.box
        switch JoinVerdict.judge(row, key: key, other: other, at: time) {
        case .refused(let refusal): return .failure(refusal)
        case .hasJoined: return row.map { .success($0.box) } ?? .failure(.codeUsed)
        case .joins:
            guard let row else { return .failure(.codeUsed) }
            let joined = ServerFixture.box(row.box.id)
            state.boxes[joined.id] = (joined, state.changes)
            state.codes[code]?.usedBy = key
            return .success(joined)
        }
    }

    func remove(_ id: Int64, at time: UInt64) throws {
        guard let box = state.boxes[id]?.box, box.state != .removed else { return }
        try change()
        if let key = box.key {
            _ = insert(
                try ServerFixture.issuing.revocation(
                    ofBox: key, at: time, generation: ServerFixture.ordinal(state.generation)))
        }
        state.boxes[id] = (ServerFixture.box(id, .removed), state.changes)
    }

    func news(since cursor: inout Cursor, at time: UInt64) throws -> SiteNews {
        guard isReachable else { throw Lost() }
        if state.changes < cursor.seen || state.generation == cursor.generation && state.number < cursor.given {
            cursor = Cursor()
        }
        if state.generation != cursor.generation { (cursor.generation, cursor.number) = (state.generation, 0) }
        let generation = ServerFixture.ordinal(state.generation)
        guard state.changes != cursor.seen else {
            return SiteNews(time: time, ownTime: time, generation: generation, number: state.number)
        }
        let seen = cursor.seen
        let entries = state.entries.filter { $0.number > cursor.number }
        let document = state.documents.last { $0.change > seen }?.document
        let news = SiteNews(
            time: time, ownTime: time, generation: generation, number: state.number,
            document: try document.map { try ServerFixture.claimed($0) }, entries: entries,
            hasAllEntries: cursor.number == 0, boxes: state.boxes.values.filter { $0.change > seen }.map(\.box))
        (cursor.seen, cursor.given) = (state.changes, state.number)
        cursor.number = entries.last?.number ?? cursor.number
        return news
    }
}
