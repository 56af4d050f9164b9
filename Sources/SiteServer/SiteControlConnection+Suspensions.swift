import SiteControl
import SiteCore
import SiteStore

extension SiteControlConnection {
    /// A suspended box is served again; what came of it.
    func unsuspend(_ number: String, _ reason: String) async throws(SiteStoreError) -> SiteReply {
        guard !SitePhone.isPrintable(reason) else {
            let box = try await server.store.unsuspend(number: number, reason: reason, by: actor)
            await server.refresh()
            return .done(text: "box \(box.name), number \(number), is served again")
        }
        return .failure(.invalid, what: "this is no reason", cure: "a reason has no control characters")
    }
}
