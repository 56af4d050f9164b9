/// The result of an imported bundle and the box's state after it, for `boxagent site import`.
public struct SiteImportListing: Equatable, Sendable {
    /// True if the bundle had anything new for this box.
    public var isNews = false
    /// The root's number and a count, such as `1.3`.
    public var documentVersion = ""
    public var generation = ""
    /// The number of the current signed status.
    public var headNumber: UInt64?
    public var headAgeSeconds: UInt64?
    /// The number of revocations that were new to this box.
    public var entriesAdded: UInt64 = 0
    /// True if the bundle had a better certificate for this box than the previous one.
    public var hasCertificate = false
    /// The second, since 1970, from which the box's certificate is no longer valid.
    public var certificateExpiry: UInt64 = 0
    /// The hours for which the box admits phones of the site without another signed status.
    public var hoursLeft: UInt64 = 0
    public var hoursLimit: UInt64 = 0

    public init() {}

    /// The result as one sentence.
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
