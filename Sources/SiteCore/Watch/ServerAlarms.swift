import SiteTrust

/// Everything that an administrator of a server must do soon, for `boxsite status`, the page, the log and the metrics.
public struct ServerAlarms: Sendable {
    public let all: [SiteAlarm]
    /// The same alarms, or nil while the time is unknown.
    let known: [SiteAlarm]?

    init(
        _ signing: SiteSigning, _ pin: SitePin, _ roster: BoxRoster, _ census: LinkCensus, _ clock: SiteClock,
        _ watch: ServerWatch, now: Duration
    ) {
        let time = clock.seconds(now: now)
        let keys = time.map { signing.alarms(under: pin.facts, at: $0) } ?? []
        var others: [SiteAlarm] = []
        if roster.suspended > 0 { others.append(.suspended(roster.suspended)) }
        if let survey = watch.survey {
            if survey.silentBoxes > 0 { others.append(.silent(survey.silentBoxes, days: survey.silentDays)) }
            if survey.wipes > 0 { others.append(.wiped(survey.wipes)) }
            if survey.askingBoxes > 0 { others.append(.selfEnrolments(boxes: survey.askingBoxes)) }
        }
        // An older report does not count: a box links again within the hour, and then reports its document again.
        if let (version, at) = watch.newerDocument, version > pin.facts.version, now - at < ServerWatch.seenFor {
            others.append(.document(version))
        }
        if let alarm = census.crowd.alarm(now: now) { others.append(alarm) }
        let outdated = census.ages[.older] ?? 0
        if outdated > 0 { others.append(.outdated(outdated)) }
        if let fault = watch.auditFault { others.append(.audit(fault)) }
        others += watch.directory.map(SiteAlarm.directory)
        all = keys + others + [clock.alarm, watch.standby.alarm ?? watch.writes.alarm(now: now)].compactMap(\.self)
        known = time == nil ? nil : all
    }
}
