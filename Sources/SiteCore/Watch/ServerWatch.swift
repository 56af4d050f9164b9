import SiteTrust

/// What administrators hear of a server: what it has counted, what the database said of the whole site, and what the log had of it.
struct ServerWatch: Sendable {
    private(set) var phones = PhoneTally()
    /// Nil: the database has not said yet.
    private(set) var survey: SiteSurvey?
    private(set) var directory: [DirectoryAlarm] = []
    private(set) var standby = StandbyState.notNeeded
    /// The newest site document that a box has claimed, above the pinned one, and when that was.
    private(set) var newerDocument: (version: SiteOrdinal, at: Duration)?
    private var log = AlarmLog()

    /// How long a box that stays linked counts as seen.
    static let seenFor: Duration = .seconds(3_600)

    mutating func hear(_ event: SiteEvent) -> [SiteEffect] {
        phones.hear(event)
        switch event {
        case .refreshed(let news):
            defer { standby = news.standby }
            guard standby.alarm != nil, news.standby.alarm == nil else { break }
            return [.log(SiteLogLine(.notice, "the database has a standby again"))]
        case .surveyed(let survey): self.survey = survey
        case .directorySaid(let alarms): directory = alarms
        // The log says anew what stands.
        case .keysFound: log = AlarmLog()
        default: break
        }
        return []
    }

    /// A box that links says that it has a newer document than this server. One of them is kept: what the last box said, as a box may lie.
    mutating func hasMet(document version: SiteOrdinal, _ now: Duration) { newerDocument = (version, now) }

    /// Has the site counted, and boxes written down as seen that were not within the hour. Where the database does not take them, they
    /// are an hour late: it is a matter of days.
    func survey(
        _ links: inout [LinkID: LinkState], _ served: [LinkID], silentDays: Int, now: Duration
    ) -> SiteEffect {
        var seen: [SeenBox] = []
        for id in served where seen.count < SiteLimits.seenAtOnce {
            guard case .served(var box) = links[id], box.counts.seenAt.map({ now - $0 >= Self.seenFor }) ?? true else {
                continue
            }
            box.counts.seenAt = now
            links[id] = .served(box)
            seen.append(SeenBox(box: box.id, program: box.hello.program))
        }
        return .survey(seen: seen, silentDays: silentDays)
    }

    /// What the log has not said today. Nil: nobody knows, and nothing changes.
    mutating func lines(_ alarms: [SiteAlarm]?, now: Duration) -> [SiteEffect] {
        guard let alarms else { return [] }
        return log.due(alarms, now: now).map { .log(SiteLogLine(.warning, $0.text)) }
    }
}
