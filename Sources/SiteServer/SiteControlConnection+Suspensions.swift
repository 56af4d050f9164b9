import SiteStore

extension SiteControlConnection {
    /// A suspended box is served again; what came of it. The reason was looked at before.
    func unsuspend(_ number: String, _ reason: String) async throws(SiteStoreError) -> String {
        let box = try await server.store.unsuspend(number: number, reason: reason, by: actor)
        await server.refresh()
        return "box \(box.name), number \(number), is served again"
    }
}
