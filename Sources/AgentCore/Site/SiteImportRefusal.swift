import ControlProtocol
import SiteLink
import SiteTrust

/// The reason why a bundle was refused as a whole.
struct SiteImportRefusal: Error, Equatable {
    let kind: FailureKind
    let what: String
    let cure: String

    private static let anew = "make a new one at the site's server: boxsite bundle FILE"

    static let overtaken = SiteImportRefusal(
        kind: .busy, what: "the site has sent newer data meanwhile", cure: "import the bundle again")
    static let left = SiteImportRefusal(kind: .busy, what: "this box is leaving its site", cure: "nothing was imported")
    static let other = SiteImportRefusal(
        kind: .busy, what: "another command is importing a bundle", cure: "wait for it, and import again")

    private init(kind: FailureKind, what: String, cure: String) {
        (self.kind, self.what, self.cure) = (kind, what, cure)
    }

    init(_ error: SiteBundleError) {
        self.init(kind: .invalid, what: "this \(error)", cure: "")
    }

    /// - Parameter message: The refused message.
    init(_ message: MessageFromSite, _ error: SiteError) {
        let name = SiteBelief.name(of: message)
        switch error {
        case .olderVersion, .olderGeneration, .olderNumber, .olderTime:
            self.init(
                kind: .invalid, what: "the bundle is older than this box's data: \(name) \(error)", cure: Self.anew)
        case .otherSite, .otherRoot:
            self.init(
                kind: .invalid, what: "the bundle belongs to another site: \(name) \(error)", cure: Self.anew)
        case .setDiffers:
            self.init(
                kind: .invalid, what: "the bundle does not include every revocation that this box knows",
                cure:
                    "\(Self.anew); if that does not help, the site lacks revocations of this box: let the box link once"
            )
        default: self.init(kind: .invalid, what: "the bundle is refused: \(name) \(error)", cure: Self.anew)
        }
    }

    var reply: ControlReply { Refusals.failure(kind, what, cure) }
}
