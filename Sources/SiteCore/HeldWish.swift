import SiteLink
import SiteTrust

/// A phone's request about the credential that the site holds for the phone, as carried by a box. The phone's key
/// sealed the request for this box and for the channel between box and phone.
public struct HeldWish: Sendable, Equatable {
    /// The box's number for the request.
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

    /// Compares counters instead of requests, because a phone uses each counter once.
    public static func == (left: HeldWish, right: HeldWish) -> Bool {
        left.number == right.number && left.phoneKey == right.phoneKey && left.box == right.box
            && left.request.counter == right.request.counter
    }
}

/// The result of a `HeldWish`.
public struct HeldResult: Sendable {
    public let outcome: HeldAnswer.Outcome
    /// The phone's newest grant, to be compared with the revocations. Nil if no phone was found.
    public let grant: GrantFacts?
    /// True if this request destroyed the credential.
    public let hasWiped: Bool

    public init(_ outcome: HeldAnswer.Outcome, grant: GrantFacts? = nil, hasWiped: Bool = false) {
        self.outcome = outcome
        self.hasWiped = hasWiped
        self.grant = grant
    }
}
