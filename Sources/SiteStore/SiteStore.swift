import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

/// The site in PostgreSQL. Every change is one transaction, durable when it returns, and recorded in the audit table.
public struct SiteStore: Sendable {
    /// The person or program that makes a change, for the audit table.
    public struct Actor: Sendable {
        /// The permanent ID in the audit table, with numbers instead of names.
        let id: String
        /// The name, which the audit table deletes later, or nil if there is none.
        let name: String?
        /// Nil for the server, the directory and boxes, and for the person who makes the site.
        let petitioner: Petitioner?

        public init(_ id: String) {
            self.id = id
            name = nil
            petitioner = nil
        }

        /// An actor who is not known to be an administrator.
        public init(stranger petitioner: Petitioner) {
            self.petitioner = petitioner
            (id, name) = petitioner.stranger
        }

        /// A petitioner who was found to be this administrator.
        public init(_ petitioner: Petitioner, _ who: Administrator) {
            self.petitioner = petitioner
            (id, name) = (petitioner.id(who), who.isRoot ? nil : who.name)
        }

        /// The key under which this actor's refusals are counted.
        public var key: String { id + "\n" + (name ?? "") }

        /// A box that asks on behalf of its user.
        init(_ box: SiteBox) {
            petitioner = nil
            (id, name) = ("box \(box.id)", box.name)
        }

        public static let server = Actor("boxsited")
    }

    let database: Database
    let standbyRule: StandbyRule
    /// Connections for PIN tries. Many tries thus do not delay other work, such as the look for revocations.
    let tries: Database
    /// The connection of `tryToWrite`. Its failures leave the other connections open.
    let writes: Database

    /// - Parameters:
    ///   - tries: Connections to the same database, or nil to use `database` for PIN tries as well.
    ///   - writes: A connection to the same database, or nil to use `database` for `tryToWrite` as well.
    public init(_ database: Database, _ standbyRule: StandbyRule, tries: Database? = nil, writes: Database? = nil) {
        self.database = database
        self.standbyRule = standbyRule
        self.tries = tries ?? database
        self.writes = writes ?? database
    }

    /// Runs one transaction with the write lock. Its changes are numbered, and nothing else changes meanwhile.
    ///
    /// - Parameter deadline: A time since boot, or nil for the limit of each call.
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

    /// The same without the write lock, for changes that do not affect what servers hold in memory.
    func changeAside<Value: Sendable>(
        _ body: @Sendable (DatabaseTransaction) async throws -> Value
    ) async throws(SiteStoreError) -> Value {
        do { return try await changeAside(in: database, body) } catch { throw SiteStoreError(error) }
    }

    /// The same on other connections. Errors of `body` are passed on unchanged.
    func changeAside<Value: Sendable>(
        in database: Database, _ body: @Sendable (DatabaseTransaction) async throws -> Value
    ) async throws -> Value {
        try await database.transaction { transaction in
            for row in try await transaction.run(SiteStatements.takeStandby).rows { try checkStandby(try row.text(0)) }
            return try await body(transaction)
        }
    }

    /// Throws `noStandby` if changes are refused now. Called in each transaction, because the PostgreSQL behind a
    /// connection can change, and so can its standbys.
    func checkStandby(_ names: String) throws(SiteStoreError) {
        guard standbyRule.judge(standbyNames: names).allowsChanges else { throw .noStandby }
    }

    /// The write lock that a transaction holds, and the state of the site.
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

        /// Throws `otherDocument` if `issuing` is from another document than the database's. Boxes might reject its
        /// signatures.
        func check(_ issuing: SiteIssuing) throws(SiteStoreError) {
            guard issuing.document == document else { throw .otherDocument }
        }

        /// Returns the same turn after the site has reached that number.
        func at(_ number: Int64) -> Turn { Turn(self, number: number) }
    }

    /// Stores a new site, with its first document and the root's statement about its key. `own` is this machine's clock,
    /// in seconds since 1970.
    public func create(
        _ document: SiteDocument, _ statement: SiteKeyStatement, by actor: Actor, at own: UInt64
    ) async throws(SiteStoreError) {
        let facts = document.facts
        try await changeAside { transaction in
            let clock = try await transaction.run(SiteStatements.clock).rows.first?.integer(0) ?? 0
            if let problem = FoundingClock.problem(database: UInt64(clamping: clock), own: own) {
                throw SiteStoreError.wrongClocks(problem)
            }
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

    /// Adds an entry with the next number, unless the site has the same entry. `ofBox` says that a box brought it.
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
