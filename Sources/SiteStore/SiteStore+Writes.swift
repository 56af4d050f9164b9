import PostgreSQL

extension SiteStore {
    /// Writes this server's row as every change is written: to the disk and to the synchronous standbys.
    ///
    /// - Parameter server: The server's public key, 32 bytes.
    /// - Returns: The reason why nothing can be stored and what to do about it, or nil once the row is stored.
    public func tryToWrite(_ server: [UInt8]) async -> String? {
        do {
            try await changeAside(in: writes) { transaction in
                _ = try await transaction.run(SiteStatements.waitBriefly)
                _ = try await transaction.run(SiteStatements.write, [.bytes(server)])
            }
            return nil
        } catch {
            switch SiteStoreError(error) {
            // The commit was sent, or an earlier commit has the row's lock.
            case .database(.outcomeUnknown), .database(.refused("55P03", _)):
                return "commits wait: bring the standby back, or name another one in synchronous_standby_names "
                    + "(/usr/share/doc/boxsite/how-to/run-a-site.md, Add a standby database); without a standby, check the disk"
            case let other: return "\(other)"
            }
        }
    }
}
