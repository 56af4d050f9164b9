import Hummingbird
import PageCore
import SiteControl
import TextOutput

/// The server's status, as a page and as a stream.
struct StatusPages: Sendable {
    let server: PageServer

    func add(to router: Router<PageContext>) {
        router.get("/status", use: show)
        router.get("/live", use: live)
    }

    @Sendable private func show(_ request: Request, _ context: PageContext) async throws -> Response {
        let (status, alarms) = try await server.desk.status(as: try server.administrator(context))
        let words = server.views.words(context)
        return server.page(
            "status",
            [
                "doubt": status.doubt.map(Printable.text) ?? "", "hasDoubt": status.doubt != nil,
                "alarms": alarms, "site": Hex.text(status.site),
                // The root's number and its document's number (boxsite status).
                "document": words.text(
                    "documentOf", "\(status.document >> 32)", "\(status.document & 0xFFFF_FFFF)"),
                "generation": "\(status.generation & 0xFFFF_FFFF)",
                "entries": "\(status.entries)", "links": "\(status.links)",
                "headTime": status.headTime.map(Moment.text) ?? "–",
                "issuersUntil": Moment.text(status.issuersUntil),
                "users": status.users.map { "\($0)" } ?? "–", "phones": status.phones.map { "\($0)" } ?? "–",
            ], context)
    }

    /// Sends the status's numbers by name whenever they change.
    @Sendable private func live(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, desk) = (try server.administrator(context), server.desk)
        return try await server.stream(context) { Self.event(try? await desk.sharedStatus(as: administrator)) }
    }

    private static func event(_ status: SiteStatus?) -> String {
        guard let status else { return "data: away=1\n\n" }
        return "data: away=0\ndata: links=\(status.links)\ndata: doubt=\(status.doubt == nil ? 0 : 1)\n\n"
    }
}
