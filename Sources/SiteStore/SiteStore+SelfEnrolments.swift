import PostgreSQL
import SiteCore
import SiteLink
import SiteTrust

/// Users who enrol phones of their own at boxes, without an administrator (docs/decisions/043-enrolment-at-a-site.md).
extension SiteStore {
    /// The most codes of all boxes that may be open at once.
    private static let openOfBoxes: Int64 = 256

    /// Adds a code, whose secret is derived from its ID, if the policy allows it. Returns the refusal otherwise.
    public func beginSelf(
        _ user: String, replacing: [UInt8], at box: SiteBox, codeID: [UInt8], _ policy: SelfEnrolmentPolicy,
        of site: SiteID
    ) async throws(SiteStoreError) -> (SelfEnrolmentRefusal, detail: String)? {
        try await change { transaction, turn in
            let now = DatabaseValue.integer(Int64(clamping: turn.time))
            _ = try await transaction.run(EnrolmentStatements.forget, [now])
            let box = try await Self.find(.id(box.id), transaction)
            let counts = try await transaction.run(
                EnrolmentStatements.countOfBoxes, [.integer(box.id), .text(user), now]
            ).rows.first
            guard try counts?.integer(2) ?? 0 < Self.openOfBoxes else { return (.busy, "") }
            let facts = try await Self.facts(
                user, ofBox: try counts?.integer(0) ?? 0, ofUser: try counts?.integer(1) ?? 0, transaction, turn)
            let choice = replacing.isEmpty ? SelfEnrolmentPolicy.Replacing.none : .named(replacing)
            switch policy.judge(user, facts, choice, at: box, of: site) {
            case .refused(let refusal, let detail): return (refusal, detail)
            case .allowed(let groups, let replaces):
                _ = try await transaction.run(
                    EnrolmentStatements.addOfBox,
                    [
                        .bytes(codeID), .text(user), .bytes(groups.bytes),
                        .integer(Int64(clamping: turn.time + SelfEnrolmentPolicy.minutes * 60)), .integer(box.id),
                        replaces.map { .bytes($0) } ?? .null, now,
                    ])
                let detail = "groups \(groups.numbers), \(SelfEnrolmentPolicy.minutes) min"
                try await Self.audit(
                    transaction, Actor(box), "self enrol", .code(codeID, for: user),
                    detail + (replaces == nil ? "" : ", replaces a phone"))
                return nil
            }
        }
    }

    /// Enrols the phone whose digits the user at the box has compared, if the policy still allows it. The same
    /// transaction revokes the phone that the new phone replaces.
    public func confirmSelf(
        _ codeID: [UInt8], digits: String, at box: SiteBox, _ policy: SelfEnrolmentPolicy, _ terms: GrantTerms
    ) async throws(SiteStoreError) -> SelfEnrolmentResult {
        try await change { transaction, turn in
            let box = try await Self.find(.id(box.id), transaction)
            let owner = try await transaction.run(EnrolmentStatements.ofBox, [.bytes(codeID)]).rows.first
            guard let row = try await Self.enrolment(codeID, transaction), let owner,
                try owner.optionalInteger(0) == box.id, row.mayConfirm(digits, at: turn.time), let key = row.phoneKey
            else { return .refused(.over, detail: "") }
            let facts = try await Self.facts(row.user, ofBox: 0, ofUser: 0, transaction, turn)
            let replaced = try owner.optionalBytes(1)
            let choice: SelfEnrolmentPolicy.Replacing = if let replaced { .chosen(key: replaced) } else { .none }
            // The box's groups may have changed since the code was made. Only groups that are allowed both times count.
            guard
                case .allowed(let allowed, let replaces) = policy.judge(
                    row.user, facts, choice, at: box, of: terms.issuing.site),
                let groups = SiteGroups(row.groups.numbers.filter(allowed.numbers.contains)), replaces != key,
                try await Self.phone(withKey: key, transaction) == nil
            else {
                try await Self.end(
                    codeID, row, as: .declined, by: Actor(box), reason: "no longer allowed", transaction)
                return .refused(.notAllowed, detail: "")
            }
            let wish = PhoneWish(key: key, user: row.user, label: row.phoneName ?? "", groups: groups)
            _ = try await Self.add(
                wish, "phone enrolled", AuditSubject.code(codeID, for: nil).id, within: .everywhere, by: Actor(box),
                transaction, turn, terms)
            try await Self.end(codeID, as: .done, transaction)
            var turn = turn
            if let user = facts.user, facts.phones.contains(where: { $0.key != replaces }) {
                let notice = try EnrolmentNotice(
                    user: user.userID, boxID: box.number, time: turn.time,
                    device: [UInt8](
                        terms.issuing.site.deviceID(ofPhone: key).prefix(EnrolmentNotice.deviceBytes)))
                turn = try await Self.tell(notice, transaction, turn, terms.issuing)
            }
            if let replaces, try await Self.revokePhone(withKey: replaces, transaction, turn, terms.issuing) {
                try await Self.audit(
                    transaction, Actor(box), "phone revoke", .phone(terms.issuing.id(of: replaces), of: row.user),
                    "replaced by \(terms.issuing.id(of: key))")
            }
            return .enrolled(
                device: SitePhone.deviceID(ofKey: key, at: terms.issuing.site), hasReplaced: replaces != nil)
        }
    }

    /// Ends a code of that box that was not confirmed.
    public func endSelf(
        _ codeID: [UInt8], as state: EnrolmentRow.State, at box: SiteBox
    ) async throws(SiteStoreError) {
        try await change { transaction, _ in
            guard let row = try await Self.enrolment(codeID, transaction) else { return }
            let ended = state == .declined && row.state != .shown ? .cancelled : state
            try await Self.end(codeID, row, as: ended, by: Actor(box), reason: "", transaction)
        }
    }

    /// Records that a box's request for a code was refused.
    public func noteRefusal(
        _ refusal: SelfEnrolmentRefusal, of user: String, at box: SiteBox
    ) async throws(SiteStoreError) {
        try await changeAside { transaction in
            try await Self.audit(transaction, Actor(box), "self enrol refused", .named(user), "\(refusal)")
        }
    }

    private static func facts(
        _ user: String, ofBox: Int64, ofUser: Int64, _ transaction: DatabaseTransaction, _ turn: Turn
    ) async throws -> SelfEnrolmentPolicy.Facts {
        let found = try await transaction.run(PhoneStatements.userNamed, [.text(user)]).rows.first
        let phones = try await transaction.run(PhoneStatements.activePhonesOfUser, [.text(user)]).rows
        let notices = try await transaction.run(
            EnrolmentStatements.countNotices,
            [.integer(Int64(bitPattern: turn.generation.value)), .integer(Int64(clamping: turn.time))]
        ).rows.first
        return SelfEnrolmentPolicy.Facts(
            user: try found.map { try SiteUser($0) }, phones: try phones.map { try SitePhone($0) },
            ofBox: Int(clamping: ofBox), ofUser: Int(clamping: ofUser),
            notices: Int(clamping: try notices?.integer(0) ?? 0))
    }
}
