import PostgreSQL
import Secrets
import SiteCore
import SiteLink
import SiteTrust

extension SiteStore {
    private static let uniqueViolation = "23505"
    private static let numberTries = 16

    /// Adds a box with a join code that is valid for `hours`. `number` has six digits, or is nil for any free number.
    public func addBox(
        name: String, number: [UInt8]?, groups: SiteGroups, codeID: [UInt8], hours: UInt64, by actor: Actor
    ) async throws(SiteStoreError) -> SiteBox {
        try await administer(.addBox, by: actor) { transaction, turn, reach in
            guard reach.changes(groups) else { throw Self.beyond }
            guard try await transaction.run(SiteStatements.boxNamed, [.text(name)]).rows.isEmpty else {
                throw SiteStoreError.nameTaken(name)
            }
            let digits = try await Self.freeNumber(transaction, wanted: number, reach)
            let row = try await transaction.run(
                SiteStatements.addBox,
                [
                    .text(name), .text(String(decoding: digits, as: UTF8.self)),
                    .bytes(groups.bytes), .integer(turn.change),
                ])
            guard let id = try row.rows.first?.integer(0) else { throw SiteStoreError.damaged("a box without an id") }
            _ = try await transaction.run(
                SiteStatements.addCode,
                [.bytes(codeID), .integer(id), .integer(Int64(turn.time + hours * 3_600))])
            try await Self.audit(transaction, actor, "box add", .box(id, name), "groups \(groups.numbers)")
            return SiteBox(id: id, name: name, number: digits, groups: groups, state: .invited, key: nil)
        }
    }

    static func freeNumber(
        _ transaction: DatabaseTransaction, wanted: [UInt8]?, _ reach: AdministratorReach
    ) async throws -> [UInt8] {
        for _ in 0..<numberTries {
            let digits = wanted ?? randomDigits()
            let text = String(decoding: digits, as: UTF8.self)
            guard let row = try await transaction.run(SiteStatements.boxNumbered, [.text(text)]).rows.first else {
                return digits
            }
            guard wanted != nil else { continue }
            let other = try SiteBox(row)
            guard reach.sees(other.groups) else {
                throw SiteStoreError.taken("a box of other groups has number \(text); choose another number, or none")
            }
            throw SiteStoreError.numberTaken(text, by: other.name)
        }
        throw SiteStoreError.damaged("no free box number was found; almost all are in use")
    }

    /// Returns six uniformly random digits. They are an address for people, not a secret.
    private static func randomDigits() -> [UInt8] {
        // 2^32 is not a multiple of a million, so draws above the last whole million are repeated.
        while true {
            let draw = randomBytes(count: 4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard draw < 4_294_000_000 else { continue }
            let number = draw % 1_000_000
            return [100_000, 10_000, 1_000, 100, 10, 1].map { UInt8(0x30 + number / $0 % 10) }
        }
    }

    /// Judges and records the join of a box that has proved its key and a code's secret. The box gets the refusal.
    public func join(key: [UInt8], codeID: [UInt8]) async throws(SiteStoreError) -> Result<SiteBox, SiteRefusal> {
        try await change { transaction, turn in
            let row = try await Self.code(transaction, codeID)
            let other = try await transaction.run(SiteStatements.boxWithKey, [.bytes(key)]).rows.first.map {
                try SiteBox($0)
            }
            if row == nil,
                let bulk = try await Self.joinBulk(key: key, codeID: codeID, other: other, transaction, turn)
            {
                return bulk
            }
            switch JoinVerdict.judge(row, key: key, other: other, at: turn.time) {
            case .refused(let refusal): return .failure(refusal)
            case .hasJoined: return row.map { .success($0.box) } ?? .failure(.codeUsed)
            case .joins:
                guard let box = row?.box else { return .failure(.codeUsed) }
                _ = try await transaction.run(
                    SiteStatements.join, [.integer(box.id), .bytes(key), .integer(turn.change)])
                _ = try await transaction.run(SiteStatements.useCode, [.bytes(codeID), .bytes(key)])
                try await Self.audit(transaction, .server, "box joined", .box(box.id, box.name))
                return .success(
                    SiteBox(
                        id: box.id, name: box.name, number: box.number, groups: box.groups, state: .joined, key: key))
            }
        }
    }

    private static func code(_ transaction: DatabaseTransaction, _ id: [UInt8]) async throws -> JoinCodeRow? {
        guard let code = try await transaction.run(SiteStatements.code, [.bytes(id)]).rows.first,
            let box = try await transaction.run(SiteStatements.boxByID, [.integer(try code.integer(2))]).rows.first
        else { return nil }
        return JoinCodeRow(
            usedBy: try code.optionalBytes(0), expiry: UInt64(clamping: try code.integer(1)), box: try SiteBox(box))
    }

    /// Removes a box that has left, as an administrator would.
    public func remove(_ box: SiteBox, reason: String, _ issuing: SiteIssuing) async throws(SiteStoreError) {
        try await change { transaction, turn in
            let found = try await Self.find(.id(box.id), transaction)
            guard try await Self.remove(found, transaction, turn, issuing) else { return }
            try await Self.audit(transaction, .server, "box remove", .box(box.id, box.name), reason)
        }
    }

    /// Removes a box for good, and adds the entry that tells phones. Returns false if it was already removed.
    static func remove(
        _ box: SiteBox, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Bool {
        guard box.state != .removed else { return false }
        if let key = box.key {
            try turn.check(issuing)
            let entry: Revocation
            do throws(SiteError) {
                entry = try issuing.revocation(ofBox: key, at: turn.time, generation: turn.generation)
            } catch {
                throw SiteStoreError.signing(error)
            }
            var number = turn.number
            _ = try await Self.add(entry, transaction, turn.generation, above: &number)
        }
        _ = try await transaction.run(SiteStatements.remove, [.integer(box.id), .integer(turn.change)])
        return true
    }

    static func find(_ which: BoxChoice, _ transaction: DatabaseTransaction) async throws -> SiteBox {
        let (statement, value, text): (DatabaseStatement, DatabaseValue, String) =
            switch which {
            case .name(let name): (SiteStatements.boxNamed, .text(name), name)
            case .id(let id): (SiteStatements.boxByID, .integer(id), "\(id)")
            }
        guard let row = try await transaction.run(statement, [value]).rows.first else {
            throw SiteStoreError.noSuchBox(text)
        }
        return try SiteBox(row)
    }

    /// Returns a page of boxes, in the order in which they were added.
    public func boxes(after id: Int64) async throws(SiteStoreError) -> [SiteBox] {
        var boxes: [SiteBox] = []
        do throws(DatabaseError) {
            let rows = try await database.run(SiteStatements.boxesPage, [.integer(id)]).rows
            for row in rows {
                do throws(SiteStoreError) { boxes.append(try SiteBox(row)) } catch { throw .unexpectedType("\(error)") }
            }
        } catch {
            throw .database(error)
        }
        return boxes
    }
}

public enum BoxChoice: Sendable {
    case name(String)
    case id(Int64)
}
