import EventLoop
import OpenMetrics

/// Writes the metrics file every 15 seconds, on a thread of its own, so that a hanging disk does not delay boxes.
struct MetricsWriter: Sendable {
    private static let period: Duration = .seconds(15)
    /// The pause after a write that failed.
    private static let retry: Duration = .seconds(60)

    let file: MetricsFile
    let loop: EpollLoop
    let log: ServerLog

    /// Runs until the task is cancelled. A problem is reported once.
    func run(_ server: SiteServer) async {
        var said: String?
        while !Task.isCancelled {
            let problem = await write(await server.metrics().text)
            if let problem, said == nil {
                log.warning("metrics: \(problem); counting continues, and metrics are written once this is fixed")
            } else if problem == nil, said != nil {
                log.notice("metrics are written again")
            }
            said = problem
            let pause = problem == nil ? Self.period : Self.retry
            guard (try? await loop.sleep(until: loop.now() + pause)) != nil else { return }
        }
    }

    private func write(_ text: String) async -> String? {
        do throws(OffloadError) { return try await loop.offload { file.write(text) } } catch { return "\(error)" }
    }
}
