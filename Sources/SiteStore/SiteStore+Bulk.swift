import PostgreSQL
import SiteCore
import SiteLink
import SiteTrust

/// A bulk code as administrators see it.
public struct BulkCodeRow: Sendable, Equatable {
    public let id: [UInt8]
    public let name: String
    public let groups: SiteGroups
    public let code: BulkCode
}

/// A box that has come with a bulk code, and that was not approved or rejected yet.
public struct WaitingBox: Sendable, Equatable {
    public let key: [UInt8]
    public let fingerprint: [UInt8]
    /// The prefix of the name that the box will have.
    public let name: String
    public let groups: SiteGroups
    /// When the box came, in seconds since 1970.
    public let came: UInt64
}

extension SiteStore {
    /// Adds a code with which `places` boxes may come until `expiry`. Boxes with listed fingerprints need not wait.
    public func addBulkCode(
        name: String, places: UInt64, groups: SiteGroups, expiry: UInt64, listed: [BoxFingerprint], codeID: [UInt8],
        by actor: Actor
    ) async throws(SiteStoreError) {
        try await administer(.addBox, by: actor) { transaction, turn, reach in
            guard reach.changes(groups) else { throw Self.beyond }
            guard expiry > turn.time, expiry <= turn.time + BulkCode.lifeLimit else {
                throw SiteStoreError.taken("a bulk code must expire within the next 90 days")
            }
            let open = try await transaction.run(BulkStatements.countOpen, [.integer(Int64(turn.time))]).rows.first
            guard try open?.integer(0) ?? 0 < BulkCode.codesLimit else {
                throw SiteStoreError.taken("too many bulk codes are open; revoke one first: boxsite box revoke-code ID")
            }
            _ = try await transaction.run(
                BulkStatements.add,
                [
                    .bytes(codeID), .text(name), .bytes(groups.bytes), .integer(Int64(places)),
                    .integer(Int64(expiry)),
                ])
            for fingerprint in listed {
                _ = try await transaction.run(
                    BulkStatements.list, [.bytes(codeID), .bytes(fingerprint.bytes)])
            }
            try await Self.audit(
                transaction, actor, "bulk code add", .site,
                "\(Self.text(codeID)): \(places) boxes in groups \(groups.numbers), \(listed.count) listed")
        }
    }

    /// Judges a box that has proved the secret of a bulk code. Returns nil if the code does not exist.
    static func joinBulk(
        key: [UInt8], codeID: [UInt8], other: SiteBox?, _ transaction: DatabaseTransaction, _ turn: Turn
    ) async throws -> Result<SiteBox, SiteRefusal>? {
        guard let found = try await transaction.run(BulkStatements.code, [.bytes(codeID)]).rows.first else {
            return nil
        }
        let row = try BulkCodeRow(found)
        let fingerprint = BoxFingerprint(of: key)
        let isListed = try await !transaction.run(
            BulkStatements.isListed, [.bytes(codeID), .bytes(fingerprint.bytes)]
        ).rows.isEmpty
        let visit = try await transaction.run(BulkStatements.visit, [.bytes(key)]).rows.first.map { row in
            try row.boolean(0) ? BulkVisit.approved : row.boolean(1) ? .rejected : .waits
        }
        let verdict = BulkVerdict.judge(row.code, visit: visit, other: other, isListed: isListed, at: turn.time)
        if case .refused(let refusal) = verdict { return .failure(refusal) }
        _ = try await transaction.run(
            BulkStatements.come, [.bytes(key), .bytes(fingerprint.bytes), .bytes(codeID)])
        guard verdict == .joins else {
            try await audit(
                transaction, .server, "box waits", .site, "\(fingerprint.text) by bulk code \(text(codeID))")
            return .failure(.waiting)
        }
        let waiting = WaitingBox(
            key: key, fingerprint: fingerprint.bytes, name: row.name, groups: row.groups, came: turn.time)
        return .success(try await admit(waiting, by: .server, .everywhere, transaction, turn))
    }

    /// Makes the waiting box a box of the site.
    private static func admit(
        _ waiting: WaitingBox, by actor: Actor, _ reach: AdministratorReach, _ transaction: DatabaseTransaction,
        _ turn: Turn
    ) async throws -> SiteBox {
        let name = "\(waiting.name)-\(BoxFingerprint(of: waiting.key).text.prefix(8))"
        guard try await transaction.run(SiteStatements.boxNamed, [.text(name)]).rows.isEmpty else {
            throw SiteStoreError.nameTaken(name)
        }
        let digits = try await freeNumber(transaction, wanted: nil, reach)
        let row = try await transaction.run(
            BulkStatements.addJoined,
            [
                .text(name), .text(String(decoding: digits, as: UTF8.self)), .bytes(waiting.groups.bytes),
                .bytes(waiting.key), .integer(turn.change),
            ])
        guard let id = try row.rows.first?.integer(0) else { throw SiteStoreError.damaged("a box without an id") }
        _ = try await transaction.run(BulkStatements.become, [.bytes(waiting.key), .integer(id)])
        try await audit(transaction, actor, "box approved", .box(id, name), "groups \(waiting.groups.numbers)")
        return SiteBox(
            id: id, name: name, number: digits, groups: waiting.groups, state: .joined, key: waiting.key)
    }

    /// Approves the boxes with these fingerprints. If one of them does not wait, none is approved.
    public func approve(
        _ fingerprints: [BoxFingerprint], by actor: Actor
    ) async throws(SiteStoreError) -> [SiteBox] {
        try await administer(.addBox, by: actor) { transaction, turn, reach in
            var boxes: [SiteBox] = []
            for fingerprint in fingerprints {
                let waiting = try await Self.waiting(fingerprint, reach, transaction)
                boxes.append(try await Self.admit(waiting, by: actor, reach, transaction, turn))
            }
            return boxes
        }
    }

    /// Rejects waiting boxes. Their keys cannot use a bulk code again.
    public func reject(_ fingerprints: [BoxFingerprint], by actor: Actor) async throws(SiteStoreError) {
        try await administer(.addBox, by: actor) { transaction, turn, reach in
            for fingerprint in fingerprints {
                let waiting = try await Self.waiting(fingerprint, reach, transaction)
                _ = try await transaction.run(BulkStatements.reject, [.bytes(waiting.key)])
                try await Self.audit(transaction, actor, "box rejected", .site, fingerprint.text)
            }
        }
    }

    private static func waiting(
        _ fingerprint: BoxFingerprint, _ reach: AdministratorReach, _ transaction: DatabaseTransaction
    ) async throws -> WaitingBox {
        let row = try await transaction.run(BulkStatements.waitingOne, [.bytes(fingerprint.bytes)]).rows.first
        guard let box = try row.map({ try WaitingBox($0) }), reach.sees(box.groups) else {
            throw SiteStoreError.noWaitingBox(fingerprint.text)
        }
        guard reach.changes(box.groups) else { throw beyond }
        return box
    }

    /// Revokes a code, and rejects its waiting boxes. Returns the number of rejected boxes.
    public func revokeBulkCode(_ id: [UInt8], by actor: Actor) async throws(SiteStoreError) -> Int {
        try await administer(.addBox, by: actor) { transaction, turn, reach in
            guard let row = try await transaction.run(BulkStatements.code, [.bytes(id)]).rows.first,
                case let code = try BulkCodeRow(row), reach.sees(code.groups)
            else { throw SiteStoreError.noBulkCode(Self.text(id)) }
            guard reach.changes(code.groups) else { throw Self.beyond }
            _ = try await transaction.run(BulkStatements.revoke, [.bytes(id)])
            let rejected = try await transaction.run(BulkStatements.rejectAll, [.bytes(id)]).rows.count
            try await Self.audit(
                transaction, actor, "bulk code revoke", .site, "\(Self.text(id)), \(rejected) that waited")
            return rejected
        }
    }

    // MARK: - Lists

    public func waitingBoxes() async throws(SiteStoreError) -> [WaitingBox] {
        var boxes: [WaitingBox] = []
        for row in try await run(BulkStatements.waiting, []) { boxes.append(try WaitingBox(row)) }
        return boxes
    }

    /// Returns the codes that have not expired, or expired within the last 90 days.
    public func bulkCodes(at time: UInt64) async throws(SiteStoreError) -> [BulkCodeRow] {
        var codes: [BulkCodeRow] = []
        for row in try await run(BulkStatements.codes, [.integer(Int64(time))]) { codes.append(try BulkCodeRow(row)) }
        return codes
    }

    private static func text(_ codeID: [UInt8]) -> String { BulkCodeRow.text(codeID) }
}

extension BulkCodeRow {
    public static func text(_ id: [UInt8]) -> String {
        id.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The ID as administrators type it: 16 hexadecimal digits.
    public var text: String { Self.text(id) }

    fileprivate init(_ row: DatabaseRow) throws(SiteStoreError) {
        do throws(DatabaseError) {
            guard let groups = try? SiteGroups(parsing: try row.bytes(1)) else {
                throw DatabaseError.unexpectedType("groups of a bulk code")
            }
            let code = BulkCode(
                places: try row.integer(2), expiry: UInt64(clamping: try row.integer(3)),
                isRevoked: try row.boolean(4), taken: try row.integer(5), lately: try row.integer(6))
            self.init(id: try row.bytes(7), name: try row.text(0), groups: groups, code: code)
        } catch {
            throw .damaged("a bulk code (\(error))")
        }
    }
}

extension WaitingBox {
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do throws(DatabaseError) {
            guard let groups = try? SiteGroups(parsing: try row.bytes(3)) else {
                throw DatabaseError.unexpectedType("groups of a bulk code")
            }
            self.init(
                key: try row.bytes(0), fingerprint: try row.bytes(1), name: try row.text(2), groups: groups,
                came: UInt64(clamping: try row.integer(4)))
        } catch {
            throw .damaged("a waiting box (\(error))")
        }
    }
}
