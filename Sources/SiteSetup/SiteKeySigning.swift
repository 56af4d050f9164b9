import EventLoop
import PostgreSQL
import Secrets
import SiteStore
import SiteTrust

/// Implements `boxsite key`: the root signs a statement about the site's key. A site needs this command if it is older
/// than such statements, or if its secret has changed.
public struct SiteKeySigning: Sendable {
    private static let patience: Duration = .seconds(60)

    private let configuration: SiteConfiguration
    private let rootFile: String
    private let loop: EpollLoop

    /// - Parameter rootFile: The file with the root's key, which is only brought to this machine for this command.
    public init(_ configuration: SiteConfiguration, rootFile: String, on loop: EpollLoop) {
        self.configuration = configuration
        self.rootFile = rootFile
        self.loop = loop
    }

    /// Signs the statement and stores it. Servers use the statement after a restart.
    public func run(by actor: SiteStore.Actor) async throws {
        let settings = try DatabaseSettings(configuration.database.sorted { $0.key < $1.key })
        _ = try await SiteSchema.migrations.apply(to: settings, on: loop, by: loop.now() + Self.patience)
        let key = try ServerKeyFiles.siteKey(in: configuration.stateDirectory)
        let seed = try SecretFile.read(rootFile, count: 32)
        let database = Database(settings, on: loop)
        let store = SiteStore(database, configuration.standbyRule(settings))
        do {
            let document = try await store.beginning().document
            let last = try await store.siteKey()?.number
            let count = last.map { $0.root == document.facts.version.root ? $0.count : 0 } ?? 0
            guard count < .max else { throw SiteError.invalidField }
            try await store.add(
                try SiteFounding.statement(of: key, number: count + 1, root: seed, document.facts), by: actor)
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }
}
