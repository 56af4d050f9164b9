/// What `boxagent site import` says of a bundle that was taken, and of where the box stands with it.
public struct SiteImportListing: Equatable, Sendable {
    /// Something of the bundle was new to this box.
    public var isNews = false
    /// The root's number and a count, as `1.3`.
    public var documentVersion = ""
    public var generation = ""
    /// Of the head that is held now.
    public var headNumber: UInt64?
    public var headAgeSeconds: UInt64?
    /// What the site has taken back and this box did not know.
    public var entriesAdded: UInt64 = 0
    /// The bundle had a certificate for this box that is worth more than the one before.
    public var hasCertificate = false
    /// The first second, since 1970, in which the box's certificate is no good any more.
    public var certificateExpiry: UInt64 = 0
    /// Hours that phones of the site are let in without another head.
    public var hoursLeft: UInt64 = 0
    public var hoursLimit: UInt64 = 0

    public init() {}

    /// One sentence.
    public var words: String {
        guard isNews else { return "this box already has all of it; \(hours)" }
        let head = headNumber.map { "status \($0), " } ?? ""
        let certificate = hasCertificate ? "a new certificate" : "no new certificate"
        return "document \(documentVersion), \(head)entries added: \(entriesAdded), \(certificate); \(hours)"
    }

    private var hours: String { "\(hoursLeft) of \(hoursLimit) hours left without the site" }
}

extension SiteImportListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.flag("news", &isNews)
        try coder.text("document-version", &documentVersion, limit: ControlLimits.labelBytes)
        try coder.text("generation", &generation, limit: ControlLimits.labelBytes)
        try coder.number("head-number", &headNumber)
        try coder.number("head-age-seconds", &headAgeSeconds)
        try coder.number("entries-added", &entriesAdded)
        try coder.flag("certificate", &hasCertificate)
        try coder.number("certificate-expiry", &certificateExpiry)
        try coder.number("hours-left", &hoursLeft)
        try coder.number("hours-limit", &hoursLimit)
    }
}
