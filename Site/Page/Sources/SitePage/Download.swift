import Hummingbird
import PageCore

/// Thrown to cut a download off. The browser notices, because the answer does not end properly.
private struct CutOff: Error {}

extension PageServer {
    /// Sends a text file in parts. It requests each part after the previous one was written, so that a slow reader does
    /// not block others. `next` is nil after the last part. The download ends early if its time or the session ends.
    func download<Place: Sendable>(
        _ name: String, _ context: PageContext, from first: Place,
        _ part: @escaping @Sendable (Place) async throws -> (text: String, next: Place?)
    ) async throws -> Response {
        let (token, state) = (context.visitor.token, state)
        let download = try await state.openDownload(of: token)
        let begun: (text: String, next: Place?)
        do {
            // Get the first part before sending, so that boxsited's refusal can still be shown.
            begun = try await part(first)
        } catch {
            await state.closeDownload(download)
            throw error
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/plain; charset=utf-8", .contentDisposition: "attachment; filename=\"\(name)\"",
                .pageBuffering: "no",
            ],
            body: .init { writer in
                do {
                    try await writer.write(ByteBuffer(string: begun.text))
                    var next = begun.next
                    while let place = next {
                        guard await state.goesOn(download: download, of: token) else { throw CutOff() }
                        let it = try await part(place)
                        try await writer.write(ByteBuffer(string: it.text))
                        next = it.next
                    }
                } catch {
                    await state.closeDownload(download)
                    throw error
                }
                await state.closeDownload(download)
                try await writer.finish(nil)
            })
    }
}
