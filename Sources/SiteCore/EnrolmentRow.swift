import PhoneMessages
import SiteTrust

/// An enrolment code of the site, and what became of it.
public struct EnrolmentRow: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// No phone has come with it.
        case open
        /// A phone has committed to its digits: no other one takes the code any more.
        case claimed
        /// The digits wait for the administrator's word.
        case shown
        /// The phone is one of the site's.
        case done
        /// The digits were not those of the phone.
        case declined
        /// The administrator took the code back.
        case cancelled
        /// The phone went before there were digits, or did not keep to its commitment.
        case lost
    }

    public let state: State
    public let user: String
    public let groups: SiteGroups
    /// As administrators call the phone; nil: as it calls itself.
    public let label: String?
    /// The first second in which it is no good any more.
    public let expiry: UInt64
    /// X25519, 32 bytes, of the phone that has committed.
    public let phoneKey: [UInt8]?
    /// What that phone calls itself.
    public let phoneName: String?
    /// Six.
    public let digits: String?
    /// Who is to keep the credential.
    public let mode: GrantCredentialMode

    public init(
        state: State, user: String, groups: SiteGroups, label: String?, expiry: UInt64, phoneKey: [UInt8]? = nil,
        phoneName: String? = nil, digits: String? = nil, mode: GrantCredentialMode = .phoneHeld
    ) {
        self.state = state
        self.user = user
        self.groups = groups
        self.label = label
        self.expiry = expiry
        self.phoneKey = phoneKey
        self.phoneName = phoneName
        self.digits = digits
        self.mode = mode
    }

    /// Lives of a code, in minutes.
    public static let minutes: ClosedRange<UInt64> = 1...60

    /// Whether it waits for something still.
    public func isPending(at time: UInt64) -> Bool {
        switch state {
        case .open, .claimed, .shown: time < expiry
        case .done, .declined, .cancelled, .lost: false
        }
    }

    // MARK: - What may happen to it

    /// Why the phone with that key does not get it; nil: it commits now. The first one that commits is the only one, and has one guess
    /// at the digits: also the same phone gets no second one.
    public static func refusal(ofClaim row: EnrolmentRow?, by key: [UInt8], at time: UInt64) -> ResultCode? {
        guard let row else { return .timedOut }
        switch row.state {
        case .open: return time < row.expiry ? nil : .timedOut
        case .claimed, .shown, .done:
            guard row.phoneKey != key else { return .alreadyEnrolled }
            return row.isPending(at: time) ? .busy : .notAllowed
        case .declined, .cancelled, .lost: return .notAllowed
        }
    }

    /// Whether the phone with that key may have its digits shown.
    public func mayShow(for key: [UInt8], at time: UInt64) -> Bool {
        state == .claimed && phoneKey == key && time < expiry
    }

    /// Whether the administrator's word about these digits makes the phone one of the site's.
    public func mayConfirm(_ digits: String, at time: UInt64) -> Bool {
        state == .shown && self.digits == digits && phoneKey != nil && time < expiry
    }

    /// What the phone with that key hears; nil: it waits for the administrator, or has a grant to get.
    public static func refusal(ofOutcome row: EnrolmentRow?, for key: [UInt8], at time: UInt64) -> ResultCode? {
        guard let row, row.phoneKey == key else { return .timedOut }
        switch row.state {
        case .done: return nil
        case .shown: return time < row.expiry ? nil : .timedOut
        case .open, .claimed, .declined, .cancelled, .lost: return .notAllowed
        }
    }
}

/// Why a phone does not get what it asks for, as it hears it.
public typealias EnrolmentRefusal = ResultCode

/// What an enrolment has come to, for the phone.
public enum EnrolmentOutcome: Sendable, Equatable {
    case waiting
    /// By this document and grant.
    case enrolled(document: [UInt8], grant: [UInt8])
    case refused(ResultCode)
    /// The database does not say.
    case unknown
}
