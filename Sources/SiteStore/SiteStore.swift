import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

/// The site in PostgreSQL: every change is one transaction, durable when it returns, and in the audit table.
public struct SiteStore: Sendable {
    /// Who causes a change, as the audit table has it.
    public struct Actor: Sendable {
        /// What the audit table keeps for good: numbers.
        let id: String
        /// What it forgets; nil: nothing.
        let name: String?
        /// Nil: the server itself, or somebody who makes the site.
        let petitioner: Petitioner?

        public init(_ id: String) {
            self.id = id
            name = nil
            petitioner = nil
        }

        /// Somebody who is no administrator, or not known to be one.
        public init(stranger petitioner: Petitioner) {
            self.petitioner = petitioner
            (id, name) = petitioner.stranger
        }

        /// Somebody who asks, once it was looked up who that is.
        public init(_ petitioner: Petitioner, _ who: Administrator) {
            self.petitioner = petitioner
            (id, name) = (petitioner.id(who), who.isRoot ? nil : who.name)
        }

        /// By which what they ask for is counted.
        public var key: String { id + "\n" + (name ?? "") }

        /// A box that has asked for what its person wants.
        init(_ box: SiteBox) {
            petitioner = nil
            (id, name) = ("box \(box.id)", box.name)
        }

        public static let server = Actor("boxsited")
    }

    let database: Database
    let standbyRule: StandbyRule
    /// For tries of PINs: those who try many hold up nothing else, such as the look for what was revoked.
    let tries: Database

    /// - Parameter tries: Connections to the same database; nil: the same ones.
    public init(_ database: Database, _ standbyRule: StandbyRule, tries: Database? = nil) {
        self.database = database
        self.standbyRule = standbyRule
        self.tries = tries ?? database
    }

    /// One transaction that has its turn: what it changes is numbered, and nobody else changes anything meanwhile.
    ///
    /// - Parameter deadline: A time since boot; nil: as long as each call may take.
    func change<Value: Sendable>(
        by deadline: Duration? = nil, _ body: @Sendable (DatabaseTransaction, Turn) async throws -> Value
    ) async throws(SiteStoreError) -> Value {
        do {
            return try await database.transaction(by: deadline) { transaction in
                guard let row = try await transaction.run(SiteStatements.takeTurn).rows.first else {
                    throw SiteStoreError.noSite
                }
                try checkStandby(try row.text(0))
                return try await body(transaction, try Turn(row))
            }
        } catch {
            throw SiteStoreError(error)
        }
    }

    /// The same without a turn: what changes nothing that servers hold in memory.
    func changeAside<Value: Sendable>(
        _ body: @Sendable (DatabaseTransaction) async throws -> Value
    ) async throws(SiteStoreError) -> Value {
        do { return try await changeAside(in: database, body) } catch { throw SiteStoreError(error) }
    }

    /// The same on other connections; what `body` throws comes out as it is.
    func changeAside<Value: Sendable>(
        in database: Database, _ body: @Sendable (DatabaseTransaction) async throws -> Value
    ) async throws -> Value {
        try await database.transaction { transaction in
            for row in try await transaction.run(SiteStatements.takeStandby).rows { try checkStandby(try row.text(0)) }
            return try await body(transaction)
        }
    }

    /// Asked in each transaction, of the database that keeps it: which one that is, and what it names, changes below a server.
    func checkStandby(_ names: String) throws(SiteStoreError) {
        guard standbyRule.judge(standbyNames: names).allowsChanges else { throw .noStandby }
    }

    /// A transaction's turn.
    struct Turn: Sendable {
        let change: Int64
        let generation: SiteOrdinal
        let number: Int64
        /// The database's clock.
        let time: UInt64
        /// The version of the newest site document.
        let document: SiteOrdinal

        init(_ row: DatabaseRow) throws {
            change = try row.integer(2)
            generation = try SiteOrdinal(UInt64(bitPattern: try row.integer(3)))
            number = try row.integer(4)
            time = UInt64(clamping: try row.integer(5))
            document = try SiteOrdinal(UInt64(bitPattern: try row.integer(6)))
        }

        private init(_ turn: Turn, number: Int64) {
            (change, generation, time, document) = (turn.change, turn.generation, turn.time, turn.document)
            self.number = number
        }

        /// Throws `otherDocument` where `issuing` was chosen under another document than the database's: what it signs, boxes might
        /// not believe.
        func check(_ issuing: SiteIssuing) throws(SiteStoreError) {
            guard issuing.document == document else { throw .otherDocument }
        }

        /// The same turn, once the site has got to that number.
        func at(_ number: Int64) -> Turn { Turn(self, number: number) }
    }

    /// Writes down a new site: its first document, and what the root says of its key.
    public func create(
        _ document: SiteDocument, _ statement: SiteKeyStatement, by actor: Actor
    ) async throws(SiteStoreError) {
        let facts = document.facts
        try await changeAside { transaction in
            guard try await transaction.run(SiteStatements.look).rows.isEmpty else { throw SiteStoreError.hasSite }
            _ = try await transaction.run(
                SiteStatements.create,
                [
                    .bytes(facts.site.bytes), .integer(Int64(bitPattern: facts.generation.value)),
                    .integer(Int64(bitPattern: facts.version.value)),
                ])
            _ = try await transaction.run(
                SiteStatements.addDocument,
                [.integer(Int64(bitPattern: facts.version.value)), .bytes(document.bytes), .integer(1)])
            try await Self.audit(transaction, actor, "init", .site, "site document \(facts.version.count)")
            try await Self.add(statement, by: actor, transaction)
        }
    }

    /// Adds an entry with the next number; nothing where the site has one that says the same. `ofBox`: a box brought it.
    static func add(
        _ entry: Revocation, _ transaction: DatabaseTransaction, _ generation: SiteOrdinal, above number: inout Int64,
        ofBox: Bool = false
    ) async throws(DatabaseError) -> Bool {
        let content = [UInt8](entry.bytes.dropLast(Ed25519.signatureBytes))
        let place = DatabaseValue.integer(Int64(bitPattern: generation.value))
        guard try await transaction.run(SiteStatements.hasEntry, [place, .bytes(content)]).rows.isEmpty else {
            return false
        }
        number += 1
        _ = try await transaction.run(
            SiteStatements.addEntry,
            [
                place, .integer(number), .bytes(content), .bytes([UInt8](entry.bytes.suffix(Ed25519.signatureBytes))),
                .boolean(ofBox),
            ])
        _ = try await transaction.run(SiteStatements.raiseNumber, [.integer(number)])
        return true
    }
}
