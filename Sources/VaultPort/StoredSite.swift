/// What a box keeps of the site that it belongs to: bytes that were verified before they came here, as the site sent them.
public struct StoredSite: Equatable, Sendable {
    /// The site's document, which is the pin: 162 to 818 bytes.
    public var document: [UInt8]
    public var certificate: StoredSiteCertificate
    /// Where the site's servers listen, as text: 1 to 4 addresses of 1 to 64 bytes.
    public var servers: [[UInt8]]
    /// The newest head that was written down, 137 bytes.
    public var head: [UInt8]?
    public var time: StoredSiteTime?
    public var hours: StoredSiteHours?
    /// What the site has taken back, 122 bytes each, ascending.
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

    /// The box's number in the site, six digits: behind version, tag and issuer (docs/reference/site-protocol.md, 5).
    public var boxID: [UInt8] { [UInt8](bytes.dropFirst(15).prefix(6)) }

    public init(bytes: [UInt8], issuerKey: [UInt8]) {
        self.bytes = bytes
        self.issuerKey = issuerKey
    }
}

/// A reading of the boot clock: seconds since a boot, and the boot's id (16 bytes).
public struct StoredBootClock: Equatable, Sendable {
    public var boot: [UInt8]
    public var seconds: Int64

    public init(boot: [UInt8], seconds: Int64) {
        self.boot = boot
        self.seconds = seconds
    }
}

/// A time of the site in seconds since 1970, and when it was.
public struct StoredSiteTime: Equatable, Sendable {
    public var seconds: Int64
    public var clock: StoredBootClock

    public init(seconds: Int64, clock: StoredBootClock) {
        self.seconds = seconds
        self.clock = clock
    }
}

/// Hours that were spent without a fresh head, and until when the last of them lasts.
public struct StoredSiteHours: Equatable, Sendable {
    public var spent: Int64
    public var until: StoredBootClock

    public init(spent: Int64, until: StoredBootClock) {
        self.spent = spent
        self.until = until
    }
}

/// What changes together in what is kept of a site. What is nil or empty stays as it is.
public struct SiteChange: Equatable, Sendable {
    public var document: [UInt8]?
    /// The document begins a generation: entries, head, time and hours are forgotten first.
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
