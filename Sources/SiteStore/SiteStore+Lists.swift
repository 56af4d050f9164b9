import Names
import PostgreSQL
import SiteCore
import SiteTrust

/// The part of a list that is wanted, and the rights of its reader.
public struct ListChoice: Sendable {
    public enum From: Sendable {
        case beginning
        case after(ListPlace)
        case before(ListPlace)
    }

    public var search: String?
    /// For boxes: the state, or nil for all boxes that were not removed.
    public var state: SiteBox.State?
    /// For boxes: the rows of linked boxes, and whether to return those or all others.
    public var linked: (rows: [Int64], areWanted: Bool)?
    public var user: String?
    public var from = From.beginning
    /// The most rows to return.
    public let limit: Int
    /// The most rows to count, of all that are found.
    public let counting: UInt64
    let reach: AdministratorReach

    public init(within reach: AdministratorReach, limit: Int, counting: UInt64) {
        self.reach = reach
        self.limit = limit
        self.counting = counting
    }
}

public struct ListPart<Row: Sendable>: Sendable {
    public let rows: [Row]
    /// True if there are rows before these, and after them.
    public let hasBefore: Bool
    public let hasAfter: Bool
    /// The number of all rows that were found, up to the bound of counting.
    public let found: UInt64
}

/// A waiting box, and its place in the list.
public struct ListedWaitingBox: Sendable {
    public let box: WaitingBox
    /// The box's fingerprint, and its arrival in microseconds since 1970.
    public let place: ListPlace

    init(_ row: DatabaseRow) throws(SiteStoreError) {
        box = try WaitingBox(row)
        do throws(DatabaseError) {
            place = ListPlace(key: try row.text(6), row: try row.integer(5))
        } catch {
            throw .damaged("the arrival time of a box (\(error))")
        }
    }
}

extension SiteStore {
    /// Returns boxes in the order of their numbers.
    public func boxes(_ choice: ListChoice) async throws(SiteStoreError) -> ListPart<ListedBox> {
        let group = choice.search.flatMap { UInt16($0) }.flatMap { SiteGroups([$0]) }
        let values: [DatabaseValue] = [
            Self.text(choice.search), group.map { .bytes($0.bytes) } ?? .null, Self.text(choice.state?.rawValue),
            Self.value(choice.reach),
            Self.text(choice.linked.map { "{" + $0.rows.map(String.init).joined(separator: ",") + "}" }),
            choice.linked.map { .boolean($0.areWanted) } ?? .null,
        ]
        return try await part(
            choice, values, ListStatements.boxesAfter, ListStatements.boxesBefore, ListStatements.boxesFound
        ) { row throws(SiteStoreError) in try ListedBox(row) }
    }

    /// Returns the number of visible boxes in each state.
    public func boxCounts(
        within reach: AdministratorReach
    ) async throws(SiteStoreError) -> (joined: UInt64, invited: UInt64, suspended: UInt64) {
        let rows = try await run(ListStatements.boxesByState, [Self.value(reach)])
        do throws(DatabaseError) {
            guard let row = rows.first else { return (0, 0, 0) }
            func count(_ column: Int) throws(DatabaseError) -> UInt64 { UInt64(clamping: try row.integer(column)) }
            return (try count(0), try count(1), try count(2))
        } catch {
            throw .damaged("a count of boxes (\(error))")
        }
    }

    /// Returns the box that now has that number (six digits), or nil.
    public func box(numbered number: String) async throws(SiteStoreError) -> ListedBox? {
        guard let row = try await run(ListStatements.boxNumbered, [.text(number)]).first else { return nil }
        return try ListedBox(row)
    }

    /// Returns phones in the order of their users' names.
    public func phones(_ choice: ListChoice) async throws(SiteStoreError) -> ListPart<SitePhone> {
        let ids = choice.search.flatMap { DeviceID.range(beginningWith: Array($0.lowercased().utf8)) }
        let values: [DatabaseValue] = [
            Self.text(choice.search), ids.map { .bytes($0.first) } ?? .null, ids.map { .bytes($0.last) } ?? .null,
            Self.text(choice.user), Self.value(choice.reach),
        ]
        return try await part(
            choice, values, ListStatements.phonesAfter, ListStatements.phonesBefore, ListStatements.phonesFound
        ) { row throws(SiteStoreError) in try SitePhone(row) }
    }

    /// Returns the phone whose ID begins with `id`, or nil if there is none or more than one.
    public func phone(beginningWith id: String) async throws(SiteStoreError) -> SitePhone? {
        guard let (first, last) = DeviceID.range(beginningWith: Array(id.utf8)) else { return nil }
        let rows = try await run(PhoneStatements.phonesBetween, [.bytes(first), .bytes(last)])
        guard rows.count == 1 else { return nil }
        return try SitePhone(rows[0])
    }

    /// Returns waiting boxes in the order of their arrival.
    public func waitingBoxes(_ choice: ListChoice) async throws(SiteStoreError) -> ListPart<ListedWaitingBox> {
        try await part(
            choice, [Self.value(choice.reach)], ListStatements.waitingAfter, ListStatements.waitingBefore,
            ListStatements.waitingFound
        ) { row throws(SiteStoreError) in try ListedWaitingBox(row) }
    }

    /// Returns the visible groups, or null for all.
    private static func value(_ reach: AdministratorReach) -> DatabaseValue {
        switch reach {
        case .everywhere: .null
        case .groups(let groups): .bytes(groups.bytes)
        }
    }

    private static func text(_ text: String?) -> DatabaseValue { text.map { .text($0) } ?? .null }

    private func part<Row: Sendable>(
        _ choice: ListChoice, _ values: [DatabaseValue], _ after: DatabaseStatement, _ before: DatabaseStatement,
        _ found: DatabaseStatement, _ read: (DatabaseRow) throws(SiteStoreError) -> Row
    ) async throws(SiteStoreError) -> ListPart<Row> {
        let (statement, place) =
            switch choice.from {
            case .beginning: (after, ListPlace(key: "", row: 0))
            case .after(let place): (after, place)
            case .before(let place): (before, place)
            }
        // Reads one row more than the limit, which shows whether there are more.
        let last: [DatabaseValue] = [.text(place.key), .integer(place.row), .integer(Int64(choice.limit) + 1)]
        var rows: [Row] = []
        for row in try await run(statement, values + last) { rows.append(try read(row)) }
        let hasMore = rows.count > choice.limit
        rows = Array(rows.prefix(choice.limit))
        let count = try await run(found, values + [.integer(Int64(clamping: choice.counting))]).first
        let total: UInt64
        do throws(DatabaseError) {
            total = UInt64(clamping: try count?.integer(0) ?? 0)
        } catch {
            throw .damaged("a count (\(error))")
        }
        switch choice.from {
        case .beginning: return ListPart(rows: rows, hasBefore: false, hasAfter: hasMore, found: total)
        case .after: return ListPart(rows: rows, hasBefore: true, hasAfter: hasMore, found: total)
        case .before: return ListPart(rows: rows.reversed(), hasBefore: hasMore, hasAfter: true, found: total)
        }
    }
}
