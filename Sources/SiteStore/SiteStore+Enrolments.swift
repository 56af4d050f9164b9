import Names
import PostgreSQL
import SiteCore
import SiteTrust

/// A phone that an administrator wants to enrol.
public struct EnrolmentOffer: Sendable {
    let user: String
    /// Nil to use the phone's own name.
    let label: String?
    let groups: SiteGroups
    /// Where the credential will be stored.
    let mode: GrantCredentialMode
    let minutes: UInt64

    public init(user: String, label: String?, groups: SiteGroups, mode: GrantCredentialMode, minutes: UInt64) {
        self.user = user
        self.label = label
        self.groups = groups
        self.mode = mode
        self.minutes = minutes
    }
}

extension SiteStore {
    /// The most codes that may be open at once.
    private static let openLimit = 256

    /// Adds a code, whose secret is derived from its ID.
    public func beginEnrolment(
        _ offer: EnrolmentOffer, codeID: [UInt8], by actor: Actor
    ) async throws(SiteStoreError) {
        try await administer(.addPhone, by: actor) { transaction, turn, reach in
            guard reach.changes(offer.groups) else { throw Self.beyond }
            let now = DatabaseValue.integer(Int64(clamping: turn.time))
            _ = try await transaction.run(EnrolmentStatements.forget, [now])
            let open = try await transaction.run(EnrolmentStatements.countOpen, [now]).rows.first?.integer(0) ?? 0
            guard open < Self.openLimit else { throw SiteStoreError.manyEnrolments }
            _ = try await transaction.run(
                EnrolmentStatements.add,
                [
                    .bytes(codeID), .text(offer.user), offer.label.map { .text($0) } ?? .null,
                    .bytes(offer.groups.bytes), .integer(Int64(clamping: turn.time + offer.minutes * 60)),
                    .boolean(offer.mode == .siteHeld),
                ])
            try await Self.audit(
                transaction, actor, "phone enrol", .code(codeID, for: offer.user),
                "groups \(offer.groups.numbers), \(offer.minutes) min")
        }
    }

    /// Returns the code and whether it still waits, or nil if there is none.
    public func enrolment(_ codeID: [UInt8]) async throws(SiteStoreError) -> (row: EnrolmentRow, isPending: Bool)? {
        let rows = try await run(EnrolmentStatements.row, [.bytes(codeID)])
        guard let row = try rows.first.map(EnrolmentRow.init), let time = try rows.first.map(Self.clock) else {
            return nil
        }
        return (row, row.isPending(at: time))
    }

    /// Gives the code to a phone that has proved the secret and committed. Returns the refusal, or nil for success.
    public func claimEnrolment(
        _ codeID: [UInt8], by key: [UInt8], label: [UInt8]
    ) async throws(SiteStoreError) -> EnrolmentRefusal? {
        try await change { transaction, turn in
            let row = try await Self.enrolment(codeID, transaction)
            if let refusal = EnrolmentRow.refusal(ofClaim: row, by: key, at: turn.time) { return refusal }
            let text = String(decoding: label, as: UTF8.self)
            _ = try await transaction.run(
                EnrolmentStatements.claim,
                [.bytes(codeID), .bytes(key), .text(SitePhone.isLabel(text) ? text : "")])
            try await Self.audit(transaction, .server, "phone came", .code(codeID, for: row?.user))
            return nil
        }
    }

    /// Stores the digits that the administrator will compare. Returns false if the code has ended.
    public func showDigits(
        _ digits: [UInt8], of codeID: [UInt8], for key: [UInt8]
    ) async throws(SiteStoreError) -> Bool {
        try await change { transaction, turn in
            guard let row = try await Self.enrolment(codeID, transaction), row.mayShow(for: key, at: turn.time) else {
                return false
            }
            _ = try await transaction.run(
                EnrolmentStatements.show, [.bytes(codeID), .text(String(decoding: digits, as: UTF8.self))])
            return true
        }
    }

    /// Returns the outcome for the phone: a refusal, the grant of an enrolled phone, or neither while it waits.
    public func outcome(
        of codeID: [UInt8], for key: [UInt8]
    ) async throws(SiteStoreError) -> (refusal: EnrolmentRefusal?, grant: ClaimedGrant?) {
        let rows = try await run(EnrolmentStatements.row, [.bytes(codeID)])
        let row = try rows.first.map(EnrolmentRow.init)
        let time = try rows.first.map(Self.clock) ?? 0
        if let refusal = EnrolmentRow.refusal(ofOutcome: row, for: key, at: time) { return (refusal, nil) }
        guard row?.state == .done else { return (nil, nil) }
        let phones = try await run(PhoneStatements.phoneWithKey, [.bytes(key)])
        guard let phone = try phones.first.map(SitePhone.init), phone.state == .active else {
            return (.notAllowed, nil)
        }
        return (nil, phone.grant)
    }

    /// Enrols the phone whose digits the administrator has compared, and issues its grant in the same transaction. A
    /// repetition changes nothing, so a client that got no answer can repeat it.
    public func confirmEnrolment(
        _ codeID: [UInt8], digits: String, by actor: Actor, _ terms: GrantTerms
    ) async throws(SiteStoreError) -> ClaimedGrant {
        try await administer(.addPhone, by: actor) { transaction, turn, reach in
            let row = try await Self.enrolment(codeID, transaction)
            if let row, !reach.changes(row.groups) { throw Self.beyond }
            if let row, row.state == .done, row.digits == digits, let key = row.phoneKey,
                let phone = try await Self.phone(withKey: key, transaction)
            {
                return phone.grant
            }
            guard let row, row.mayConfirm(digits, at: turn.time), let key = row.phoneKey else {
                throw SiteStoreError.enrolmentOver
            }
            let wish = PhoneWish(
                key: key, user: row.user, label: row.label ?? row.phoneName ?? "", groups: row.groups, mode: row.mode)
            let grant = try await Self.add(
                wish, "phone enrolled", AuditSubject.code(codeID, for: nil).id, within: reach, by: actor, transaction,
                turn, terms)
            try await Self.end(codeID, as: .done, transaction)
            return grant
        }
    }

    /// Ends a code that was not confirmed. A waiting phone is told. Does nothing if the code has ended.
    public func endEnrolment(
        _ codeID: [UInt8], as state: EnrolmentRow.State, by actor: Actor
    ) async throws(SiteStoreError) {
        try await administer(.addPhone, by: actor) { transaction, _, reach in
            guard let row = try await Self.enrolment(codeID, transaction) else { return }
            guard reach.changes(row.groups) else { throw Self.beyond }
            // Digits that were never shown cannot be declined.
            let ended = state == .declined && row.state != .shown ? .cancelled : state
            try await Self.end(codeID, row, as: ended, by: actor, reason: "", transaction)
        }
    }

    /// Ends a code whose phone left or broke its commitment.
    public func voidEnrolment(_ codeID: [UInt8], of phone: [UInt8], reason: String) async throws(SiteStoreError) {
        try await change { transaction, _ in
            guard let row = try await Self.enrolment(codeID, transaction), row.phoneKey == phone else { return }
            try await Self.end(codeID, row, as: .lost, by: .server, reason: reason, transaction)
        }
    }

    static func end(
        _ codeID: [UInt8], _ row: EnrolmentRow, as state: EnrolmentRow.State, by actor: Actor, reason: String,
        _ transaction: DatabaseTransaction
    ) async throws {
        guard [.open, .claimed, .shown].contains(row.state) else { return }
        try await end(codeID, as: state, transaction)
        try await audit(
            transaction, actor, "enrolment \(state.rawValue)", .code(codeID, for: row.user), reason)
    }

    static func enrolment(
        _ codeID: [UInt8], _ transaction: DatabaseTransaction
    ) async throws -> EnrolmentRow? {
        try await transaction.run(EnrolmentStatements.row, [.bytes(codeID)]).rows.first.map(EnrolmentRow.init)
    }

    static func end(
        _ codeID: [UInt8], as state: EnrolmentRow.State, _ transaction: DatabaseTransaction
    ) async throws {
        _ = try await transaction.run(EnrolmentStatements.end, [.bytes(codeID), .text(state.rawValue)])
    }

    private static func clock(_ row: DatabaseRow) throws(SiteStoreError) -> UInt64 {
        do throws(DatabaseError) { return UInt64(clamping: try row.integer(9)) } catch { throw .database(error) }
    }
}

extension EnrolmentRow {
    /// Reads the columns of an enrolment.
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do {
            guard let state = State(rawValue: try row.text(0)) else {
                throw DatabaseError.unexpectedType("state of an enrolment")
            }
            self.init(
                state: state, user: try row.text(1), groups: try SiteGroups(parsing: try row.bytes(2)),
                label: try row.optionalText(3), expiry: UInt64(clamping: try row.integer(4)),
                phoneKey: try row.optionalBytes(5), phoneName: try row.optionalText(6),
                digits: try row.optionalText(7), mode: try row.boolean(8) ? .siteHeld : .phoneHeld)
        } catch {
            throw .damaged("an enrolment (\(error))")
        }
    }
}
