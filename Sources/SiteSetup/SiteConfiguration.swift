import ConfigurationFile
import PostgreSQL
import SiteCore
import SiteLink
import VaultPort

/// The settings of a site's server, read from a TOML file.
public struct SiteConfiguration: Equatable, Sendable {
    /// `[database]`: how to reach PostgreSQL. A password, if there is one, is in the file `passfile`.
    public var database: [String: String] = [
        "host": "/var/run/postgresql", "dbname": "boxsite", "user": "boxsite",
    ]
    /// With several hosts: allows changes although the database names no synchronous standby.
    public var acceptsLoss = false
    /// `[server]`: the address on which to listen for boxes.
    public var listen = "0.0.0.0:4711"
    /// The addresses of this and the other servers, 1 to 4. Join codes carry them.
    public var addresses: [SiteAddress] = []
    public var stateDirectory = "/var/lib/boxsite"
    public var runtimeDirectory = "/run/boxsite"
    /// The user that the site page runs as. Only that user may act for signed-in administrators. Nil if no user may.
    public var pageUser: String?
    /// The page's origin for browsers, as in page.toml. It is used in links that set up a passkey.
    public var pageOrigin: String?
    /// The lifetime of a box's certificate, 1 to 504 hours. For that long, phones believe a box that is cut off.
    public var certificateHours = 24
    /// `[pin]`: how many wrong PINs in a row destroy a credential of the site, 3 to 10, and whether they cause delays.
    public var attempts = AttemptPolicy()
    /// `[directory]`: the directory that has the users. Without one, any name may be a user.
    public var directory = DirectorySettings()
    /// `[metrics]`: the file for node_exporter, or nil to write none.
    public var metricsFile: String?
    /// `[alarms]`: the days without a link to any server after which a box raises an alarm, 1 to 365.
    public var silentDays = 7
    /// `[self_enrolment]`: whether users may enrol phones of their own at boxes.
    public var selfEnrolment = SelfEnrolmentPolicy()

    public static let defaultPath = "/etc/boxsite/boxsite.toml"
    private static let databaseKeys = [
        "host", "hostaddr", "port", "dbname", "user", "passfile", "sslmode", "sslrootcert", "accept_loss",
    ]
    private static let serverKeys = [
        "listen", "addresses", "state_directory", "runtime_directory", "certificate_hours", "page_user",
        "page_origin",
    ]

    private static let pinKeys = ["attempts", "delays"]
    private static let metricsKeys = ["file"]
    private static let alarmsKeys = ["silent_days"]
    private static let selfKeys = ["allowed", "phones", "new_users", "box_per_day", "user_per_day"]

    public init() {}

    /// Reads the file at `path`, and reports everything that is wrong with it.
    public static func load(path: String) throws(ConfigurationError) -> SiteConfiguration {
        try read(TOMLDocument(path: path), path: path)
    }

    static func read(_ document: TOMLDocument, path: String) throws(ConfigurationError) -> SiteConfiguration {
        var configuration = SiteConfiguration()
        var problems: [ConfigurationProblem] = []
        for entry in document.entries where entry.value != .table {
            if let (what, cure) = configuration.take(entry) {
                problems.append(ConfigurationProblem(path: path, line: entry.line, what: what, cure: cure))
            }
        }
        if configuration.addresses.isEmpty {
            problems.append(
                ConfigurationProblem(
                    path: path, what: "does not name a server address",
                    cure:
                        "write [server] addresses = [\"192.0.2.10:4711\"], with the address at which boxes reach this server"
                ))
        }
        if configuration.directory.user != nil, configuration.directory.probe.isEmpty {
            problems.append(
                ConfigurationProblem(
                    path: path, what: "[directory] has a user, but no probe",
                    cure: "write [directory] probe = \"NAME\", with a directory user who always exists"))
        }
        if let error = ConfigurationError(problems: problems) { throw error }
        return configuration
    }

    /// Takes one key. Returns the problem and its cure, or nil.
    private mutating func take(_ entry: TOMLDocument.Entry) -> (String, String)? {
        switch (entry.table, entry.key, entry.value) {
        case ("database", "accept_loss", .flag(let flag)): acceptsLoss = flag
        case ("database", let key, .text(let text)) where Self.databaseKeys.contains(key) && key != "accept_loss":
            database[key] = text
        case ("server", "listen", .text(let text)):
            guard SiteAddress(Array(text.utf8)) != nil else { return Self.noAddress(text) }
            listen = text
        case ("server", "addresses", .array(let values)):
            return takeAddresses(values)
        case ("server", "state_directory", .text(let text)) where text.utf8.first == UInt8(ascii: "/"):
            stateDirectory = text
        case ("server", "runtime_directory", .text(let text)) where text.utf8.first == UInt8(ascii: "/"):
            // The socket's name is appended, and a socket address holds 107 bytes (unix(7)).
            guard text.utf8.count <= 90 else { return ("runtime_directory is too long", "use at most 90 bytes") }
            runtimeDirectory = text
        case ("server", "page_user", .text(let text)) where text.isEmpty || SitePhone.isUserName(Array(text.utf8)):
            pageUser = text.isEmpty ? nil : text
        case ("server", "page_origin", .text(let text)) where text.isEmpty || Self.isOrigin(text):
            pageOrigin = text.isEmpty ? nil : text
        case ("server", "certificate_hours", .integer(let hours)) where (1...504).contains(hours):
            certificateHours = hours
        case ("pin", "attempts", .integer(let limit)) where AttemptPolicy.limits.contains(limit):
            attempts = AttemptPolicy(limit: limit, delays: attempts.delays)
        case ("metrics", "file", .text(let text)) where text.isEmpty || Self.isMetricsFile(text):
            metricsFile = text.isEmpty ? nil : text
        case ("alarms", "silent_days", .integer(let days)) where (1...365).contains(days): silentDays = days
        case ("pin", "delays", .flag(let wanted)):
            attempts = AttemptPolicy(limit: attempts.limit, delays: wanted ? .growing : .none)
        case ("directory", _, _): if !directory.take(entry) { return Self.unknown(entry) }
        case ("self_enrolment", _, _): return takeSelfEnrolment(entry)
        default: return Self.unknown(entry)
        }
        return nil
    }

    private mutating func takeSelfEnrolment(_ entry: TOMLDocument.Entry) -> (String, String)? {
        switch (entry.key, entry.value) {
        case ("allowed", .flag(let flag)): selfEnrolment.isAllowed = flag
        case ("new_users", .flag(let flag)): selfEnrolment.allowsNewUsers = flag
        case ("phones", .integer(let count)) where SelfEnrolmentPolicy.phoneLimits.contains(count):
            selfEnrolment.phones = count
        case ("box_per_day", .integer(let count)) where SelfEnrolmentPolicy.boxLimits.contains(count):
            selfEnrolment.boxPerDay = count
        case ("user_per_day", .integer(let count)) where SelfEnrolmentPolicy.userLimits.contains(count):
            selfEnrolment.userPerDay = count
        default: return Self.unknown(entry)
        }
        return nil
    }

    private mutating func takeAddresses(_ values: [TOMLDocument.Value]) -> (String, String)? {
        var read: [SiteAddress] = []
        for value in values {
            guard case .text(let text) = value else { return Self.noAddress("a value that is not a text") }
            guard let address = SiteAddress(Array(text.utf8)) else { return Self.noAddress(text) }
            read.append(address)
        }
        guard (1...SiteAddressList.limit).contains(read.count) else {
            return ("addresses has \(read.count) entries", "name 1 to \(SiteAddressList.limit)")
        }
        addresses = read
        return nil
    }

    package func standbyRule(_ settings: DatabaseSettings) -> StandbyRule {
        StandbyRule(hosts: settings.hostCount, acceptsLoss: acceptsLoss)
    }

    /// Checks for an absolute path whose name node_exporter reads.
    private static func isMetricsFile(_ text: String) -> Bool {
        text.hasPrefix("/") && text.hasSuffix(".prom") && !text.hasSuffix("/.prom") && text.utf8.count <= 1_024
    }

    /// Checks for a scheme, a host and an optional port. boxsite-page checks more strictly.
    private static func isOrigin(_ text: String) -> Bool {
        let rest = text.hasPrefix("https://") ? text.dropFirst(8) : text.hasPrefix("http://") ? text.dropFirst(7) : ""
        let isPlain = rest.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x3A].contains($0)
        }
        return isPlain && (1...255).contains(rest.utf8.count)
    }

    private static func noAddress(_ text: String) -> (String, String) {
        ("\(text) is not an address and port", "write it as 192.0.2.10:4711 or [2001:db8::10]:4711, with numbers only")
    }

    private static func unknown(_ entry: TOMLDocument.Entry) -> (String, String) {
        let keys =
            switch entry.table {
            case "database": databaseKeys
            case "pin": pinKeys
            case "directory": DirectorySettings.keys
            case "metrics": metricsKeys
            case "alarms": alarmsKeys
            case "self_enrolment": selfKeys
            default: serverKeys
            }
        if keys.contains(entry.key) {
            return ("the value of \(entry.key) is not valid", "see boxsited(8) for the allowed values")
        }
        let cure = Spelling.nearest(to: entry.key, among: keys).map { "did you mean \($0)?" }
        return (
            "there is no key \(entry.key) in [\(entry.table)]",
            cure
                ?? "[database] has \(databaseKeys.joined(separator: ", ")); [server] has \(serverKeys.joined(separator: ", ")); [pin] has \(pinKeys.joined(separator: ", ")); [directory] has \(DirectorySettings.keys.joined(separator: ", ")); [metrics] has file; [alarms] has silent_days; [self_enrolment] has \(selfKeys.joined(separator: ", "))"
        )
    }
}
