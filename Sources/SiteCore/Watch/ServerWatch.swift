import SiteTrust

/// A server's information for administrators: counts, the database's survey of the site, and the logged alarms.
struct ServerWatch: Sendable {
    private(set) var phones = PhoneTally()
    /// Nil if the database has not answered yet.
    private(set) var survey: SiteSurvey?
    private(set) var directory: [DirectoryAlarm] = []
    private(set) var auditFault: SiteAuditWalk.Fault?
    private(set) var standby = StandbyState.notNeeded
    private(set) var writes = WriteWatch()
    /// The last site document above the pinned one that a box has claimed, and when that was.
    private(set) var newerDocument: (version: SiteOrdinal, at: Duration)?
    private var log = AlarmLog()

    /// For how long a linked box counts as seen.
    static let seenFor: Duration = .seconds(3_600)

    mutating func hear(_ event: SiteEvent, now: Duration) -> [SiteEffect] {
        phones.hear(event)
        switch event {
        case .refreshed(let news):
            defer { standby = news.standby }
            guard standby.alarm != nil, news.standby.alarm == nil else { break }
            return [.log(SiteLogLine(.notice, "the database has a standby again"))]
        case .surveyed(let survey): self.survey = survey
        case .triedToWrite(let problem): return writes.tried(problem, now: now)
        case .directorySaid(let alarms): directory = alarms
        case .auditDiffers(let fault): auditFault = fault
        // After new keys, the log repeats the alarms that persist.
        case .keysFound: log = AlarmLog()
        default: break
        }
        return []
    }

    /// Takes a box's claim of a newer document than this server's. Only the last one is kept, because a box may lie.
    mutating func hasMet(document version: SiteOrdinal, _ now: Duration) { newerDocument = (version, now) }

    /// Requests a survey, and records the linked boxes as seen that were not recorded within the hour. If the database
    /// fails, they are recorded an hour late, which is harmless because the alarm counts days.
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

    /// Returns lines for alarms that the log does not have today. Nil stands for unknown alarms, and changes nothing.
    mutating func lines(_ alarms: [SiteAlarm]?, now: Duration) -> [SiteEffect] {
        guard let alarms else { return [] }
        return log.due(alarms, now: now).map { .log(SiteLogLine(.warning, $0.text)) }
    }
}
