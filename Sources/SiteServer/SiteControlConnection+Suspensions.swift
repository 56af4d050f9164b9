import SiteStore

extension SiteControlConnection {
    /// Ends the suspension of a box, and returns a report. The caller has checked the reason.
    func unsuspend(_ number: String, _ reason: String) async throws(SiteStoreError) -> String {
        let box = try await server.store.unsuspend(number: number, reason: reason, by: actor)
        await server.refresh()
        return "box \(box.name), number \(number), is served again"
    }
}
