import Hummingbird
import PageCore
import SiteControl
import TextOutput

/// How the server is, as a page and as a stream.
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
                // Which root, and which of its documents (boxsite status).
                "document": words.text(
                    "documentOf", "\(status.document >> 32)", "\(status.document & 0xFFFF_FFFF)"),
                "generation": "\(status.generation & 0xFFFF_FFFF)",
                "entries": "\(status.entries)", "links": "\(status.links)",
                "headTime": status.headTime.map(Moment.text) ?? "–",
                "issuersUntil": Moment.text(status.issuersUntil),
                "users": status.users.map { "\($0)" } ?? "–", "phones": status.phones.map { "\($0)" } ?? "–",
            ], context)
    }

    /// Server-sent events (HTML Standard section 9.2): numbers of the status by name, when they have changed.
    @Sendable private func live(_ request: Request, _ context: PageContext) async throws -> Response {
        let administrator = try server.administrator(context)
        let (token, desk, state) = (context.visitor.token, server.desk, server.state)
        guard await state.openStream(of: token) else {
            throw PageRefusal(status: .serviceUnavailable, key: "errorBusy")
        }
        let ended = state.now + UInt64(PageLimits.streamSeconds)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .pageBuffering: "no"],
            body: .init { writer in
                do {
                    var told = ""
                    while state.now < ended, await state.isAlive(token) {
                        let news = Self.event(try? await desk.sharedStatus(as: administrator))
                        // A line that says nothing finds out whether somebody is there.
                        try await writer.write(ByteBuffer(string: news == told ? ":\n\n" : news))
                        told = news
                        try await state.pause(seconds: PageLimits.streamLookSeconds)
                    }
                } catch {
                    await state.closeStream(of: token)
                    throw error
                }
                await state.closeStream(of: token)
                try await writer.finish(nil)
            })
    }

    private static func event(_ status: SiteStatus?) -> String {
        guard let status else { return "data: away=1\n\n" }
        return "data: away=0\ndata: links=\(status.links)\ndata: doubt=\(status.doubt == nil ? 0 : 1)\n\n"
    }
}
