import PostgreSQL
import SiteCore

extension SiteStore {
    /// Writes this server's row as every change is written: to the disk and to the synchronous standbys.
    ///
    /// - Parameters:
    ///   - server: The server's public key, 32 bytes.
    ///   - deadline: A time since boot.
    /// - Returns: The reason why nothing can be stored, or nil once the row is stored.
    public func tryToWrite(_ server: [UInt8], by deadline: Duration) async -> WriteProblem? {
        do {
            try await writes.transaction(by: deadline) { transaction in
                for row in try await transaction.run(SiteStatements.takeStandby).rows {
                    try checkStandby(try row.text(0))
                }
                _ = try await transaction.run(SiteStatements.waitBriefly)
                _ = try await transaction.run(SiteStatements.write, [.bytes(server)])
            }
            return nil
        } catch {
            return WriteProblem(SiteStoreError(error))
        }
    }
}

extension WriteProblem {
    init(_ error: SiteStoreError) {
        switch error {
        // The commit was sent, or an earlier commit has the row's lock.
        case .database(.outcomeUnknown), .database(.refused("55P03", _)): self = .commitsWait
        case .database(.refused("53100", _)): self = .diskFull
        default: self = .other("\(error)")
        }
    }
}
