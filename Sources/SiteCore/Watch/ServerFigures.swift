import SiteTrust

/// What a server's metrics say, read off its machine. No name, no id.
public struct ServerFigures: Sendable {
    /// Boxes of the whole site that have a key, by state.
    public let boxes: [SiteBox.State: Int]
    /// Boxes that are linked to this server, by the version that they run.
    public let linked: [ProgramAge: Int]
    /// Connections that have not shown a key.
    public let unproven: Int
    public let head: Head
    /// Until when issuers of each role sign, in seconds since 1970; 0: the document lists none.
    public let issuerExpiry: [(role: IssuerRole, expiry: UInt64)]
    public let health: Health
    public let links: LinkTally
    public let phones: PhoneTally
    /// Nil: the database has not said yet.
    public let survey: SiteSurvey?

    /// The newest head, and what it counts.
    public struct Head: Sendable, Equatable {
        public let entries: Int
        public let number: UInt64
        /// Seconds since 1970; 0: none was signed.
        public let time: UInt64
    }

    public struct Health: Sendable {
        /// Whether all is signed.
        public let isSigning: Bool
        /// The database's clock less this server's own, in seconds, as of the last look.
        public let clockDifference: Int64
        public let standby: StandbyState
        public let alarms: [SiteAlarm]
    }

    public init(of server: SiteServerMachine, now: Duration) {
        boxes = server.roster.counts
        linked = server.census.ages
        unproven = server.census.unprovenCount
        head = Head(entries: server.entryCount, number: server.number, time: server.headTime ?? 0)
        let facts = server.pin.facts
        issuerExpiry = IssuerRole.allCases.map { role in
            (role, facts.issuers.filter { $0.role == role }.map(\.expiry).max() ?? 0)
        }
        health = Health(
            isSigning: server.doubt(now: now) == nil, clockDifference: server.clock.difference,
            standby: server.watch.standby, alarms: ServerAlarms(of: server, now: now).all)
        links = server.census.tally
        phones = server.watch.phones
        survey = server.watch.survey
    }
}

extension ServerAlarms {
    public init(of server: SiteServerMachine, now: Duration) {
        self.init(
            server.signing, server.pin, server.roster, server.census, server.clock, server.watch, now: now)
    }
}
