import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

/// The site in PostgreSQL: every change is one transaction, durable when it returns, and in the audit table.
public struct SiteStore: Sendable {
    /// Who causes a change, as the audit table has it.
    public struct Actor: Sendable {
        public let name: String
        /// Nil: the server itself, or somebody who makes the site.
        let petitioner: Petitioner?

        public init(_ name: String) {
            self.name = name
            petitioner = nil
        }

        /// Somebody who asks, once it was looked up who that is.
        public init(_ petitioner: Petitioner, _ who: Administrator) {
            self.petitioner = petitioner
            name = petitioner.words(who)
        }

        public static let server = Actor("boxsited")
    }

    let database: Database
    /// For tries of PINs: those who try many hold up nothing else, such as the look for what was revoked.
    let tries: Database

    /// - Parameter tries: Connections to the same database; nil: the same ones.
    public init(_ database: Database, tries: Database? = nil) {
        self.database = database
        self.tries = tries ?? database
    }

    /// One transaction that has its turn: what it changes is numbered, and nobody else changes anything meanwhile.
    func change<Value: Sendable>(
        _ body: @Sendable (DatabaseTransaction, Turn) async throws -> Value
    ) async throws(SiteStoreError) -> Value {
        do {
            return try await database.transaction { transaction in
                guard let row = try await transaction.run(SiteStatements.takeTurn).rows.first else {
                    throw SiteStoreError.noSite
                }
                return try await body(transaction, try Turn(row))
            }
        } catch {
            throw SiteStoreError(error)
        }
    }

    /// A transaction's turn.
    struct Turn: Sendable {
        let change: Int64
        let generation: SiteOrdinal
        let number: Int64
        /// The database's clock.
        let time: UInt64

        init(_ row: DatabaseRow) throws {
            change = try row.integer(0)
            generation = try SiteOrdinal(UInt64(bitPattern: try row.integer(1)))
            number = try row.integer(2)
            time = UInt64(clamping: try row.integer(3))
        }

        private init(_ turn: Turn, number: Int64) {
            (change, generation, time) = (turn.change, turn.generation, turn.time)
            self.number = number
        }

        /// The same turn, once the site has got to that number.
        func at(_ number: Int64) -> Turn { Turn(self, number: number) }
    }

    /// Writes down a new site: its first document, and what the root says of its key.
    public func create(
        _ document: SiteDocument, _ statement: SiteKeyStatement, by actor: Actor
    ) async throws(SiteStoreError) {
        let facts = document.facts
        do {
            try await database.transaction { transaction in
                guard try await transaction.run(SiteStatements.look).rows.isEmpty else { throw SiteStoreError.hasSite }
                _ = try await transaction.run(
                    SiteStatements.create,
                    [.bytes(facts.site.bytes), .integer(Int64(bitPattern: facts.generation.value))])
                _ = try await transaction.run(
                    SiteStatements.addDocument,
                    [.integer(Int64(bitPattern: facts.version.value)), .bytes(document.bytes), .integer(1)])
                try await Self.audit(transaction, actor, "init", "site document \(facts.version.count)")
                try await Self.add(statement, by: actor, transaction)
            }
        } catch {
            throw SiteStoreError(error)
        }
    }

    static func audit(
        _ transaction: DatabaseTransaction, _ actor: Actor, _ action: String, _ detail: String
    ) async throws(DatabaseError) {
        _ = try await transaction.run(SiteStatements.audit, [.text(actor.name), .text(action), .text(detail)])
    }

    /// Adds an entry with the next number; nothing where the site has one that says the same.
    static func add(
        _ entry: Revocation, _ transaction: DatabaseTransaction, _ generation: SiteOrdinal, above number: inout Int64
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
            ])
        _ = try await transaction.run(SiteStatements.raiseNumber, [.integer(number)])
        return true
    }
}
