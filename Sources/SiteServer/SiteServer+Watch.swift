import EventLoop
import SiteCore
import SiteStore

/// Information about this server for administrators.
extension SiteServer {
    private static let surveyInterval: Duration = .seconds(60)
    /// The pause between two stored changes. With the limit of a try and `WriteWatch.patience`, an alarm comes within
    /// 15 s.
    private static let writeInterval: Duration = .seconds(4)

    /// Records boxes as seen and surveys the site, until the task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            await hearDirectory()
            feed(.surveyDue)
            guard (try? await loop.sleep(until: loop.now() + Self.surveyInterval)) != nil else { return }
        }
    }

    /// Stores a change every few seconds, until the task is cancelled.
    func watchWrites() async {
        while !Task.isCancelled {
            feed(.triedToWrite(await store.tryToWrite(keys.publicKey)))
            guard (try? await loop.sleep(until: loop.now() + Self.writeInterval)) != nil else { return }
        }
    }

    func survey(_ seen: [SeenBox], _ silentDays: Int) async {
        do throws(SiteStoreError) {
            let codes = machine.signing.terms.selfEnrolment.boxPerDay
            feed(
                .surveyed(try await store.survey(seen: seen, silentDays: silentDays, codesPerDay: codes)))
        } catch {
            // Other code reports that the database does not answer. The figures of the last survey remain.
            if isReachable { log.warning("the site's boxes and phones could not be counted: \(error)") }
        }
    }

    private func hearDirectory() async {
        if let directory { feed(.directorySaid(await directory.alarms)) }
    }

    /// Returns what an administrator must do soon.
    func alarms() async -> [SiteAlarm] {
        await hearDirectory()
        return ServerAlarms(of: machine, now: loop.now()).all
    }

    func metrics() async -> ServerMetrics {
        await hearDirectory()
        return ServerMetrics(figures: ServerFigures(of: machine, now: loop.now()), looks: lookTimes)
    }
}
