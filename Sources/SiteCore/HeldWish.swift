import SiteLink
import SiteTrust

/// What a phone asks about the credential that the site holds for it, as a box has carried it. The phone's key has made it, for this box
/// and its channel with the phone.
public struct HeldWish: Sendable, Equatable {
    /// The box's number for it.
    public let number: UInt32
    /// X25519, 32 bytes.
    public let phoneKey: [UInt8]
    public let request: HeldRequest
    public let box: SiteBox

    public init(number: UInt32, phoneKey: [UInt8], request: HeldRequest, box: SiteBox) {
        self.number = number
        self.phoneKey = phoneKey
        self.request = request
        self.box = box
    }

    /// A phone uses each counter once.
    public static func == (left: HeldWish, right: HeldWish) -> Bool {
        left.number == right.number && left.phoneKey == right.phoneKey && left.box == right.box
            && left.request.counter == right.request.counter
    }
}

/// What came of it.
public struct HeldResult: Sendable {
    public let outcome: HeldAnswer.Outcome
    /// The phone's newest grant, by which an entry may take it back; nil where no phone was found.
    public let grant: GrantFacts?
    /// The credential was destroyed by this, and not before.
    public let hasWiped: Bool

    public init(_ outcome: HeldAnswer.Outcome, grant: GrantFacts? = nil, hasWiped: Bool = false) {
        self.outcome = outcome
        self.hasWiped = hasWiped
        self.grant = grant
    }
}
