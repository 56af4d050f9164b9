import Hummingbird
import PageCore

/// A download that was cut off: the browser is told by an answer that does not end as it should.
private struct CutOff: Error {}

extension PageServer {
    /// A file of text in parts. The next one is asked for when the one before was written, so that whoever reads slowly holds up
    /// nobody. `next` is nil behind the last part. It ends early when its time or the session is over.
    func download<Place: Sendable>(
        _ name: String, _ context: PageContext, from first: Place,
        _ part: @escaping @Sendable (Place) async throws -> (text: String, next: Place?)
    ) async throws -> Response {
        let (token, state) = (context.visitor.token, state)
        let download = try await state.openDownload(of: token)
        let begun: (text: String, next: Place?)
        do {
            // Before the first byte: boxsited is there, and lets them.
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
