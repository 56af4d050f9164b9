import OpenMetrics
import SiteCore

/// The contents of boxsited's metrics file, without names and IDs. All values of a label exist from the start.
struct ServerMetrics: Sendable {
    let figures: ServerFigures
    let looks: LookTimes

    /// The text in OpenMetrics 1.0.
    var text: String { MetricFamily.text(of: server + boxes + links + phones) }

    private var server: [MetricFamily] {
        let health = figures.health
        return [
            .gauge(
                "boxsite_build_info", "Always 1; the version of boxsited.",
                labels: "{version=\"\(ServerMain.version)\"}", 1),
            .gauge("boxsite_signing", "1 while the server signs everything, 0 otherwise.", health.isSigning ? 1 : 0),
            .gauge(
                "boxsite_alarms", "Alarms in boxsite status, by kind.", by: "kind",
                SiteAlarm.Kind.allCases.map { kind in
                    (kind.rawValue, Int64(health.alarms.count { $0.kind == kind }))
                }),
            .gauge(
                "boxsite_issuer_expiry_timestamp_seconds", unit: "seconds", "When the keys of a role expire.",
                by: "role",
                figures.issuerExpiry.map { ("\($0.role)", Int64(clamping: $0.expiry)) }),
            .gauge(
                "boxsite_clock_difference_seconds", unit: "seconds",
                "The clock of the database minus that of this server.",
                health.clockDifference),
            .gauge(
                "boxsite_standby", "1 for the state of the synchronous standby.", by: "state",
                StandbyState.allCases.map { ($0.rawValue, $0 == health.standby ? 1 : 0) }),
            .gauge(
                "boxsite_database_write_age_seconds", unit: "seconds",
                "The age of the last change that this server stored; -1 if none since its start.",
                health.storedSeconds.map { Int64(clamping: $0) } ?? -1),
            .histogram(
                "boxsite_database_look_duration_seconds",
                "How long the database took to report whether something has changed.",
                looks.times),
            .counter("boxsite_database_failures", "Queries for changes that failed.", looks.failures),
        ]
    }

    private var boxes: [MetricFamily] {
        [
            .gauge(
                "boxsite_boxes", "Boxes of the site that have joined, by state.", by: "state",
                [SiteBox.State.joined, .suspended, .removed].map { ($0.rawValue, Int64(figures.boxes[$0] ?? 0)) }),
            .gauge(
                "boxsite_boxes_linked", "Boxes linked to this server, by version compared with the server's.",
                by: "version", ProgramAge.allCases.map { ($0.rawValue, Int64(figures.linked[$0] ?? 0)) }),
            .gauge(
                "boxsite_boxes_silent", "Boxes without a link to any server for alarms.silent_days days.",
                Int64(figures.survey?.silentBoxes ?? 0)),
            .gauge(
                "boxsite_box_oldest_contact_timestamp_seconds", unit: "seconds",
                "When the box that has been absent longest was last seen, to the hour; 0 without boxes.",
                Int64(clamping: figures.survey?.oldestContact ?? 0)),
            .gauge(
                "boxsite_revocations", "Entries of the set that have not expired.",
                Int64(figures.head.entries)),
            .gauge("boxsite_head_number", "The highest number of an entry.", Int64(clamping: figures.head.number)),
            .gauge(
                "boxsite_head_timestamp_seconds", unit: "seconds",
                "The time in this server's newest signed status; 0 before the first.",
                Int64(clamping: figures.head.time)),
        ]
    }

    private var links: [MetricFamily] {
        let tally = figures.links
        return [
            .gauge("boxsite_links_unproven", "Connections that have not shown a key.", Int64(figures.unproven)),
            .counter("boxsite_links", "Connections received.", tally.came),
            .counter("boxsite_links_served", "Connections whose box was served.", tally.served),
            .counter(
                "boxsite_links_refused", "Connections that were refused or ended, by the reason.", by: "reason",
                LinkTally.Refusal.allCases.map { ($0.word, tally.refused[$0] ?? 0) }),
        ]
    }

    private var phones: [MetricFamily] {
        let tally = figures.phones
        return [
            .counter("boxsite_enrolments", "Phones enrolled with a code over this server.", tally.enrolments),
            .counter("boxsite_grants", "Grants issued here for administrators.", tally.grants),
            .counter("boxsite_renewals", "Grants renewed for boxes.", tally.renewals),
            .counter(
                "boxsite_renewals_refused", "Renewals of grants that were refused.",
                tally.renewalsRefused),
            .counter(
                "boxsite_held_requests",
                "Requests of phones about passwords that the site holds, by result.",
                by: "result", PhoneTally.HeldEnd.allCases.map { ($0.rawValue, tally.held[$0] ?? 0) }),
            .counter("boxsite_held_wipes", "Passwords destroyed by a wrong PIN at this server.", tally.wipes),
            .gauge(
                "boxsite_held_wiped",
                "Passwords destroyed by wrong PINs within seven days and not stored again.",
                Int64(figures.survey?.wipes ?? 0)),
        ]
    }
}

extension LinkTally.Refusal {
    /// The label of the reason.
    fileprivate var word: String {
        switch self {
        case .noPlace: "no_place"
        case .unproven: "unproven"
        case .refused(.unknownBox): "unknown_box"
        case .refused(.removed): "removed"
        case .refused(.suspended): "suspended"
        case .refused(.codeUsed): "code_used"
        case .refused(.codeExpired): "code_expired"
        case .refused(.alreadyJoined): "already_joined"
        case .refused(.notNow): "not_now"
        case .refused(.waiting): "waiting"
        }
    }
}
