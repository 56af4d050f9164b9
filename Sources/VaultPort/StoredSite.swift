/// A box's stored data about its site: bytes as the site sent them, verified before they were stored.
public struct StoredSite: Equatable, Sendable {
    /// The site document, which is the pin: 162 to 818 bytes.
    public var document: [UInt8]
    public var certificate: StoredSiteCertificate
    /// Addresses of the site's servers, as text: 1 to 4 addresses of 1 to 64 bytes.
    public var servers: [[UInt8]]
    /// The newest stored signed status, 137 bytes.
    public var head: [UInt8]?
    public var time: StoredSiteTime?
    public var hours: StoredSiteHours?
    /// The site's revocations, 122 bytes each, ascending.
    public var entries: [[UInt8]]

    public init(
        document: [UInt8], certificate: StoredSiteCertificate, servers: [[UInt8]], head: [UInt8]? = nil,
        time: StoredSiteTime? = nil, hours: StoredSiteHours? = nil, entries: [[UInt8]] = []
    ) {
        self.document = document
        self.certificate = certificate
        self.servers = servers
        self.head = head
        self.time = time
        self.hours = hours
        self.entries = entries
    }
}

/// The box's certificate (141 bytes), with the key of the issuer that signed it (32 bytes).
public struct StoredSiteCertificate: Equatable, Sendable {
    public var bytes: [UInt8]
    public var issuerKey: [UInt8]

    /// The box's number in the site: six digits after version, tag and issuer (docs/reference/site-protocol.md, 5).
    public var boxID: [UInt8] { [UInt8](bytes.dropFirst(15).prefix(6)) }

    public init(bytes: [UInt8], issuerKey: [UInt8]) {
        self.bytes = bytes
        self.issuerKey = issuerKey
    }
}

/// A reading of the boot clock: seconds since boot, and the boot's ID (16 bytes).
public struct StoredBootClock: Equatable, Sendable {
    public var boot: [UInt8]
    public var seconds: Int64

    public init(boot: [UInt8], seconds: Int64) {
        self.boot = boot
        self.seconds = seconds
    }
}

/// A time of the site in seconds since 1970, and the boot clock at that moment.
public struct StoredSiteTime: Equatable, Sendable {
    public var seconds: Int64
    public var clock: StoredBootClock

    public init(seconds: Int64, clock: StoredBootClock) {
        self.seconds = seconds
        self.clock = clock
    }
}

/// Hours spent without a fresh signed status, and the end of the last such hour.
public struct StoredSiteHours: Equatable, Sendable {
    public var spent: Int64
    public var until: StoredBootClock

    public init(spent: Int64, until: StoredBootClock) {
        self.spent = spent
        self.until = until
    }
}

/// A change to the stored site data, applied as a whole. Nil and empty fields change nothing.
public struct SiteChange: Equatable, Sendable {
    public var document: [UInt8]?
    /// The document begins a generation: entries, signed status, time and hours are deleted first.
    public var beginsGeneration = false
    public var certificate: StoredSiteCertificate?
    /// 1 to 4 addresses.
    public var servers: [[UInt8]]?
    public var added: [[UInt8]] = []
    public var dropped: [[UInt8]] = []
    public var head: [UInt8]?
    public var time: StoredSiteTime?
    public var hours: StoredSiteHours?

    public init() {}
}
