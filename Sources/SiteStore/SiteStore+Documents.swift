import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

/// The changes that a published document made.
public struct SitePublication: Sendable {
    /// False if the document was already published.
    public let isNew: Bool
    public let facts: SiteDocumentFacts
    public let beginsGeneration: Bool
    /// The number of entries that were signed again.
    public let signedAnew: Int
    /// The number of entries that came from boxes and have a dropped issuer. They were not signed again.
    public let leftOut: Int
}

extension SiteStore {
    /// Returns all documents that were ever published, oldest first. The result is never empty.
    public func documents() async throws(SiteStoreError) -> [ClaimedSiteDocument] {
        let rows = try await run(SiteStatements.documents, [])
        guard !rows.isEmpty else { throw .noSite }
        do {
            return try rows.map { try ClaimedSiteDocument(parsing: try $0.bytes(0)) }
        } catch {
            throw SiteStoreError(error)
        }
    }

    /// Publishes a site document, if it may follow the newest one (docs/reference/site-protocol.md, section 4).
    /// Publishing the same document again changes nothing, so a client that got no answer can repeat it.
    ///
    /// Entries that would lose their issuer are signed again in the same transaction. For a new generation, all entries
    /// are signed again, so that none of its signed statuses lacks one.
    ///
    /// - Parameters:
    ///   - time: The server's time, in seconds since 1970.
    ///   - deadline: A time since boot. Signing 16,384 entries again takes some seconds.
    public func publish(
        _ claimed: ClaimedSiteDocument, _ keys: IssuerKeys, time: UInt64, by actor: Actor, deadline: Duration
    ) async throws(SiteStoreError) -> SitePublication {
        try await change(by: deadline) { transaction, turn in
            let documents = try await transaction.run(SiteStatements.documents).rows.map {
                try ClaimedSiteDocument(parsing: try $0.bytes(0))
            }
            let change = try Self.judge(claimed, after: documents.last)
            let facts = claimed.facts
            guard change != .none else {
                return SitePublication(
                    isNew: false, facts: facts, beginsGeneration: false, signedAnew: 0, leftOut: 0)
            }
            let issuing = SiteIssuing(keys, under: facts, at: turn.time)
            try GrantTerms(issuing, time: time).check(turn.time)
            let unable = issuing.rolesUnable.map { "\($0)" }
            guard unable.isEmpty else { throw SiteStoreError.cannotSign(unable.joined(separator: ", ")) }
            let begins = change == .newGeneration
            let live = try await Self.liveEntries(of: turn.generation, at: turn.time, transaction)
            if begins { try Self.checkBoxes(live, facts, documents) }
            let carrier = EntryCarrier(facts, issuing, begins: begins)
            let carried = try await carrier.carry(live, from: turn, transaction)
            let version = DatabaseValue.integer(Int64(bitPattern: facts.version.value))
            _ = try await transaction.run(
                SiteStatements.stateDocument,
                [version, .integer(Int64(bitPattern: facts.generation.value)), .integer(carried.number)])
            _ = try await transaction.run(
                SiteStatements.addDocument, [version, .bytes(claimed.bytes), .integer(turn.change)])
            try await Self.audit(
                transaction, actor, "document publish", .site,
                "version \(facts.version.text), generation \(facts.generation.text), \(carried.signed) entries signed anew, "
                    + "\(carried.leftOut) left out; issuers "
                    + facts.issuers.map { "\($0.role) \($0.keyID.text)" }.joined(separator: ", "))
            return SitePublication(
                isNew: true, facts: facts, beginsGeneration: begins, signedAnew: carried.signed,
                leftOut: carried.leftOut)
        }
    }

    private static func judge(
        _ claimed: ClaimedSiteDocument, after newest: ClaimedSiteDocument?
    ) throws(SiteStoreError) -> SitePin.Change {
        guard let newest else { throw .noSite }
        var tally = SignatureTally()
        do throws(SiteError) {
            var pin = try SitePin(kept: newest.bytes, tally: &tally)
            return try pin.take(claimed, tally: &tally)
        } catch {
            throw .refusedDocument(error)
        }
    }

    private static func liveEntries(
        of generation: SiteOrdinal, at time: UInt64, _ transaction: DatabaseTransaction
    ) async throws -> [LiveEntry] {
        try await transaction.run(
            SiteStatements.liveEntries,
            [.integer(Int64(bitPattern: generation.value)), .integer(Int64(clamping: time))]
        ).rows.map { LiveEntry(entry: try Revocation(kept: try $0.bytes(0)), ofBox: try $0.boolean(1)) }
    }

    /// In a new generation, a phone forgets which boxes are revoked, and a revoked box shows the phone no new entries.
    /// The document must therefore not list issuers that may have certified revoked boxes.
    private static func checkBoxes(
        _ live: [LiveEntry], _ facts: SiteDocumentFacts, _ documents: [ClaimedSiteDocument]
    ) throws(SiteStoreError) {
        guard live.contains(where: { if case .box = $0.entry.facts.subject { true } else { false } }) else { return }
        let before = documents.flatMap { $0.facts.issuers }.filter { $0.role == .boxes }.map(\.key)
        let kept = facts.issuers.filter { $0.role == .boxes && before.contains($0.key) }
        guard kept.isEmpty else { throw .revokedBoxes(issuers: kept.map(\.keyID.text).joined(separator: ", ")) }
    }
}

/// An entry that has not expired.
struct LiveEntry: Sendable {
    let entry: Revocation
    let ofBox: Bool
}

/// Signs entries again that would lose their issuer or their generation.
struct EntryCarrier: Sendable {
    private let facts: SiteDocumentFacts
    private let issuing: SiteIssuing
    private let begins: Bool

    init(_ facts: SiteDocumentFacts, _ issuing: SiteIssuing, begins: Bool) {
        (self.facts, self.issuing, self.begins) = (facts, issuing, begins)
    }

    /// Returns how many entries were signed and how many left out, and the number of the last entry.
    func carry(
        _ live: [LiveEntry], from turn: SiteStore.Turn, _ transaction: DatabaseTransaction
    ) async throws -> (signed: Int, leftOut: Int, number: Int64) {
        var (signed, leftOut, number) = (0, 0, begins ? 0 : turn.number)
        for live in live {
            let isListed = facts.issuer(live.entry.issuer)?.role == .revocations
            guard begins || !isListed else { continue }
            // Leaves out an entry that only boxes had: a thief of the dropped key may have signed it. The database
            // knows the entries that the site signed itself.
            guard isListed || !live.ofBox else {
                leftOut += 1
                continue
            }
            for subject in try await subjects(of: live.entry.facts, transaction) {
                let entry = try issuing.revocation(
                    RevocationFacts(
                        subject: subject, expiry: live.entry.facts.expiry, generation: facts.generation))
                guard try await SiteStore.add(entry, transaction, facts.generation, above: &number) else { continue }
                signed += 1
                if begins { try await SiteStore.takeBack(entry.facts, transaction) }
            }
        }
        guard (begins ? 0 : live.count) + signed <= RevocationSet.entryLimit else {
            throw SiteStoreError.tooManyEntries
        }
        return (signed, leftOut, number)
    }

    /// Returns what an entry revokes, in terms of the new document's generation.
    ///
    /// In a new generation, an entry that revokes a user's grants (kind 2) revokes all grants of earlier generations.
    /// For a user who is active again, it is therefore replaced by an entry for each revoked phone.
    private func subjects(
        of entry: RevocationFacts, _ transaction: DatabaseTransaction
    ) async throws -> [RevokedSubject] {
        guard begins, case .user(let userID, _) = entry.subject else { return [entry.subject] }
        let isActive = try await !transaction.run(PhoneStatements.isActiveUser, [.bytes(userID.bytes)]).rows.isEmpty
        guard isActive else { return [.user(userID, upTo: 0)] }
        return try await transaction.run(PhoneStatements.revokedOfUser, [.bytes(userID.bytes)]).rows.map {
            .phone(key: try $0.bytes(0))
        }
    }
}
