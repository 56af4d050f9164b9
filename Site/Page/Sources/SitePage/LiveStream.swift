import Hummingbird
import PageCore

extension PageServer {
    /// Sends the result of `look` whenever it changes, as server-sent events (HTML Standard section 9.2). Ends when the
    /// stream's time or the session is over.
    func stream(
        _ context: PageContext, _ look: @escaping @Sendable () async -> String
    ) async throws -> Response {
        let (token, state) = (context.visitor.token, state)
        guard let stream = await state.openStream(of: token) else {
            throw PageRefusal(status: .serviceUnavailable, key: "errorBusy")
        }
        let ended = state.now + UInt64(PageLimits.streamSeconds)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .pageBuffering: "no"],
            body: .init { writer in
                do {
                    var told = ""
                    while state.now < ended, await state.goesOn(stream, of: token) {
                        let news = await look()
                        // An empty event detects whether the browser is still connected.
                        try await writer.write(ByteBuffer(string: news == told ? ":\n\n" : news))
                        told = news
                        try await state.pause(seconds: PageLimits.streamLookSeconds)
                    }
                } catch {
                    await state.closeStream(stream)
                    throw error
                }
                await state.closeStream(stream)
                try await writer.finish(nil)
            })
    }
}
