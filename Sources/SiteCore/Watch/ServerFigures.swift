import SiteTrust

/// The figures in a server's metrics, read from its machine. They contain no names and no IDs.
public struct ServerFigures: Sendable {
    /// Boxes of the whole site that have a key, by state.
    public let boxes: [SiteBox.State: Int]
    /// Boxes that are linked to this server, by the age of their program.
    public let linked: [ProgramAge: Int]
    /// Connections that have not proved a key.
    public let unproven: Int
    public let head: Head
    /// The time until which issuers of each role sign, in seconds since 1970, or 0 if the document lists none.
    public let issuerExpiry: [(role: IssuerRole, expiry: UInt64)]
    public let health: Health
    public let links: LinkTally
    public let phones: PhoneTally
    /// Nil if the database has not answered yet.
    public let survey: SiteSurvey?

    /// The newest signed status, and the number of its entries.
    public struct Head: Sendable, Equatable {
        public let entries: Int
        public let number: UInt64
        /// Seconds since 1970, or 0 if none was signed.
        public let time: UInt64
    }

    public struct Health: Sendable {
        /// True if nothing stops this server from signing, in any role.
        public let isSigning: Bool
        /// The database's clock minus this server's own, in seconds, at the last comparison.
        public let clockDifference: Int64
        public let standby: StandbyState
        /// The age of the last stored change, in seconds. Nil if nothing was stored since the start.
        public let storedSeconds: UInt64?
        public let alarms: [SiteAlarm]
    }

    public init(of server: SiteServerMachine, now: Duration) {
        boxes = server.roster.counts
        linked = server.census.ages
        unproven = server.census.unproven.count
        head = Head(entries: server.entryCount, number: server.number, time: server.headTime ?? 0)
        let facts = server.pin.facts
        issuerExpiry = IssuerRole.allCases.map { role in
            (role, facts.issuers.filter { $0.role == role }.map(\.expiry).max() ?? 0)
        }
        health = Health(
            isSigning: server.doubt(now: now) == nil, clockDifference: server.clock.difference,
            standby: server.watch.standby,
            storedSeconds: server.watch.writes.storedAt.map { UInt64(max(0, (now - $0).components.seconds)) },
            alarms: ServerAlarms(of: server, now: now).all)
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
