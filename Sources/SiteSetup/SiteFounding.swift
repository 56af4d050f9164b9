import EventLoop
import Glibc
import PostgreSQL
import Secrets
import SiteCore
import SiteStore
import SiteTrust

/// Implements `boxsite init`: makes a site's root, its issuers, its first document, and the database's tables.
public struct SiteFounding: Sendable {
    /// The lifetime of issuers, in seconds: 400 days.
    package static let issuerLife: UInt64 = 400 * 86_400
    private static let patience: Duration = .seconds(60)

    private let configuration: SiteConfiguration
    private let rootDirectory: String
    private let loop: EpollLoop

    /// - Parameter rootDirectory: The directory for the keys of root and next root, two files to move off this machine.
    public init(_ configuration: SiteConfiguration, rootDirectory: String, on loop: EpollLoop) {
        self.configuration = configuration
        self.rootDirectory = rootDirectory
        self.loop = loop
    }

    /// Makes the site, and returns its ID. A failure removes the key files, unless the database may have the site.
    public func run(by actor: SiteStore.Actor) async throws -> SiteID {
        let settings = try DatabaseSettings(configuration.database.sorted { $0.key < $1.key })
        _ = try await SiteSchema.migrations.apply(to: settings, on: loop, by: loop.now() + Self.patience)
        let rootSeed = SecretBytes(randomCount: 32)
        let nextSeed = SecretBytes(randomCount: 32)
        let (rootFile, nextFile) = (rootDirectory + "/root.key", rootDirectory + "/next-root.key")
        var made: [String] = []
        do {
            let issuers = try ServerKeyFiles.make(in: configuration.stateDirectory)
            made = [configuration.stateDirectory + "/issuers.key", configuration.stateDirectory + "/site.secret"]
            AuditHeadFile.remove(in: configuration.stateDirectory)
            try SecretFile.write(rootSeed, to: rootFile)
            made.append(rootFile)
            try SecretFile.write(nextSeed, to: nextFile)
            made.append(nextFile)
            let now = UInt64(clamping: time(nil))
            let document = try sign(issuers, root: rootSeed, next: nextSeed, at: now)
            let statement = try Self.statement(
                of: try ServerKeyFiles.siteKey(in: configuration.stateDirectory), number: 1, root: rootSeed,
                document.facts)
            let database = Database(settings, on: loop)
            try await SiteStore(database, configuration.standbyRule(settings)).create(
                document, statement, by: actor, at: now)
            await database.close()
            return document.facts.site
        } catch SiteStoreError.database(.outcomeUnknown) {
            // The site may exist, and would be lost without these files.
            throw SecretFileError(
                path: configuration.stateDirectory,
                what:
                    "the database did not say whether it has the site now. The key files are kept. Start boxsited: if it finds "
                    + "no site, remove \(made.joined(separator: ", ")) and run this again")
        } catch {
            for path in made { unlink(path) }
            throw error
        }
    }

    /// Returns the root's signed statement about the site's key (32 bytes).
    static func statement(
        of key: [UInt8], number: UInt32, root rootSeed: borrowing SecretBytes, _ facts: SiteDocumentFacts
    ) throws -> SiteKeyStatement {
        let root = try Ed25519KeyPair(seed: rootSeed.copy())
        guard let place = SiteOrdinal(root: facts.version.root, count: number) else { throw SiteError.invalidField }
        guard root.publicKey == facts.rootKey else { throw SiteError.otherRoot }
        return try SiteKeyStatement.sign(key: key, number: place, site: facts.site, root: root)
    }

    private func sign(
        _ keys: [IssuerKey], root rootSeed: borrowing SecretBytes, next nextSeed: borrowing SecretBytes, at now: UInt64
    ) throws -> SiteDocument {
        let root = try Ed25519KeyPair(seed: rootSeed.copy())
        let next = try Ed25519KeyPair(seed: nextSeed.copy())
        let site = SiteID(firstRoot: root.publicKey)
        let expiry = now + Self.issuerLife
        let issuers = keys.compactMap { SiteIssuer(role: $0.role, key: $0.publicKey, expiry: expiry) }
        guard let first = SiteOrdinal(root: 1, count: 1) else { throw SiteError.invalidField }
        let facts = try SiteDocumentFacts(
            site: site, version: first, generation: first, rootKey: root.publicKey,
            nextRootHash: SHA256.hash(next.publicKey), issuers: issuers)
        return try SiteDocument.sign(facts, root: root)
    }
}
