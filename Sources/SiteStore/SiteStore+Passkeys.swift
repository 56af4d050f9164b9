import PostgreSQL
import Secrets
import SiteCore

extension SiteStore {
    /// How long an administrator can use a link that sets up a passkey, in seconds.
    private static let linkLife: UInt64 = 86_400
    /// The most passkeys of one administrator.
    private static let passkeyLimit: Int64 = 16

    // MARK: - For administrators

    /// Records that the holder of the code with that hash may set up one passkey for an administrator, within a day.
    public func makeLink(
        for name: String, codeHash: [UInt8], by actor: Actor
    ) async throws(SiteStoreError) {
        try await changePasskeys(of: name, by: actor) { transaction, turn, id in
            _ = try await transaction.run(
                PasskeyStatements.putLink,
                [.integer(id), .bytes(codeHash), .integer(Int64(clamping: turn.time + Self.linkLife))])
            try await Self.audit(transaction, actor, "passkey link", .administrator(id, name))
        }
    }

    /// Removes all passkeys of an administrator and an unused link. Returns the number of passkeys.
    public func removePasskeys(of name: String, by actor: Actor) async throws(SiteStoreError) -> Int {
        try await changePasskeys(of: name, by: actor) { transaction, _, id in
            let removed = try await transaction.run(PasskeyStatements.removeAll, [.integer(id)]).rows.count
            _ = try await transaction.run(PasskeyStatements.dropLink, [.integer(id)])
            try await Self.audit(
                transaction, actor, "passkey remove", .administrator(id, name), "\(removed) passkeys")
            return removed
        }
    }

    public func passkeys(of name: String, for actor: Actor) async throws(SiteStoreError) -> [Passkey] {
        try await changePasskeys(of: name, by: actor) { transaction, _, _ in
            try await transaction.run(PasskeyStatements.ofAdministrator, [.text(name)]).rows.map { try Passkey($0) }
        }
    }

    /// Root may change everybody's passkeys, and an administrator with an account their own. The page may not: an
    /// intruder in a session there could add a passkey to come back, or act for another administrator.
    private func changePasskeys<Value: Sendable>(
        of name: String, by actor: Actor,
        _ body: @Sendable (DatabaseTransaction, Turn, Int64) async throws -> Value
    ) async throws(SiteStoreError) -> Value {
        try await change { transaction, turn in
            guard let petitioner = actor.petitioner else { throw SiteStoreError.notAllowed("no administrator named") }
            let who = try await Self.administrator(petitioner, transaction)
            if case .page = petitioner {
                throw SiteStoreError.notAllowed("passkeys can only be changed on the server: boxsite admin link NAME")
            }
            guard who.isRoot || Array(who.name.utf8) == Array(name.utf8) else {
                throw SiteStoreError.notAllowed("only root can change the passkeys of others")
            }
            guard
                let row = try await transaction.run(AdministratorStatements.named, [.text(name)]).rows.first
            else { throw SiteStoreError.noSuchAdministrator(name) }
            return try await body(transaction, turn, try Administrator(row).id)
        }
    }

    // MARK: - For the page

    /// Returns the administrator for whom that code makes a passkey.
    public func passkeyOwner(code: [UInt8]) async throws(SiteStoreError) -> String {
        let rows = try await run(PasskeyStatements.linkOwner, [.bytes(SHA256.hash(code))])
        guard let row = rows.first else { throw .noPasskeyCode }
        do {
            return try row.text(1)
        } catch {
            throw .damaged("a link (\(error))")
        }
    }

    /// Adds a passkey for the code's administrator, and uses up the code. Returns the administrator's name.
    public func add(_ passkey: Passkey, code: [UInt8]) async throws(SiteStoreError) -> String {
        try await change { transaction, _ in
            let hash = DatabaseValue.bytes(SHA256.hash(code))
            guard let row = try await transaction.run(PasskeyStatements.linkOwner, [hash]).rows.first else {
                throw SiteStoreError.noPasskeyCode
            }
            let (id, name) = (try row.integer(0), try row.text(1))
            let count = try await transaction.run(PasskeyStatements.count, [.integer(id)]).rows.first?.integer(0) ?? 0
            guard count < Self.passkeyLimit else {
                throw SiteStoreError.taken(
                    "\(name) has \(count) passkeys, the most allowed; to remove them: boxsite admin passkeys \(name) --remove"
                )
            }
            let values: [DatabaseValue] = [
                .integer(id), .bytes(passkey.credential), .bytes(passkey.key), .integer(Int64(passkey.counter)),
            ]
            guard try await !transaction.run(PasskeyStatements.add, values).rows.isEmpty else {
                throw SiteStoreError.taken("this passkey is already in use; make another one")
            }
            _ = try await transaction.run(PasskeyStatements.dropLink, [.integer(id)])
            let owner = try await Self.ownerOnPage(name, transaction)
            try await Self.audit(transaction, owner, "passkey add", .administrator(id, name))
            return name
        }
    }

    /// Returns a passkey whose administrator is active.
    public func passkey(_ credential: [UInt8]) async throws(SiteStoreError) -> Passkey {
        let rows = try await run(PasskeyStatements.withCredential, [.bytes(credential)])
        guard let row = rows.first else { throw .noSuchPasskey }
        return try Passkey(row)
    }

    /// Records a sign-in with a passkey. If the passkey's counter did not rise, the sign-in is recorded as refused.
    public func use(_ credential: [UInt8], counter: UInt32) async throws(SiteStoreError) {
        let isGood = try await change { transaction, _ in
            let found = try await transaction.run(PasskeyStatements.withCredential, [.bytes(credential)]).rows.first
            guard let passkey = try found.map({ try Passkey($0) }) else { throw SiteStoreError.noSuchPasskey }
            let values: [DatabaseValue] = [.bytes(credential), .integer(Int64(counter))]
            let isUsed = try await !transaction.run(PasskeyStatements.use, values).rows.isEmpty
            let owner = try await Self.ownerOnPage(passkey.administrator, transaction)
            try await Self.audit(
                transaction, owner, isUsed ? "sign in" : "refused", .site,
                isUsed ? "" : "to sign in: a copy of the passkey?")
            return isUsed
        }
        guard isGood else { throw .passkeyCopied }
    }

    /// Returns the actor for the audit table: an administrator who uses a passkey on the page, or adds one.
    private static func ownerOnPage(_ name: String, _ transaction: DatabaseTransaction) async throws -> Actor {
        let petitioner = Petitioner.page(name: name)
        return Actor(petitioner, try await administrator(petitioner, transaction))
    }
}
