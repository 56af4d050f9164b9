import PhoneMessages
import SiteTrust

/// A site's enrolment code and its state.
public struct EnrolmentRow: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// No phone has used the code yet.
        case open
        /// A phone has committed to its digits. No other phone can use the code.
        case claimed
        /// The digits wait for the administrator's confirmation.
        case shown
        /// The phone is enrolled at the site.
        case done
        /// A person said that the phone shows other digits.
        case declined
        /// The code was cancelled.
        case cancelled
        /// The phone left before the digits appeared, or broke its commitment.
        case lost
    }

    public let state: State
    public let user: String
    public let groups: SiteGroups
    /// The administrators' name for the phone, or nil to use the phone's own name.
    public let label: String?
    /// The first second in which the code is no longer valid.
    public let expiry: UInt64
    /// The X25519 key of the phone that has committed, 32 bytes.
    public let phoneKey: [UInt8]?
    /// The name that the phone gives itself.
    public let phoneName: String?
    /// Six digits.
    public let digits: String?
    /// Where the credential will be stored.
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

    /// The allowed lifetimes of a code, in minutes.
    public static let minutes: ClosedRange<UInt64> = 1...60

    /// Returns whether the code still waits for a phone or a person.
    public func isPending(at time: UInt64) -> Bool {
        switch state {
        case .open, .claimed, .shown: time < expiry
        case .done, .declined, .cancelled, .lost: false
        }
    }

    // MARK: - Transitions

    /// Returns why the phone with that key does not get the code, or nil if it may commit. Only the first phone may
    /// commit, and only once. So nobody gets a second guess at the digits.
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

    /// Returns whether the digits of the phone with that key may be shown.
    public func mayShow(for key: [UInt8], at time: UInt64) -> Bool {
        state == .claimed && phoneKey == key && time < expiry
    }

    /// Returns whether a confirmation of these digits enrols the phone.
    public func mayConfirm(_ digits: String, at time: UInt64) -> Bool {
        state == .shown && self.digits == digits && phoneKey != nil && time < expiry
    }

    /// Returns the refusal for the phone with that key, or nil if it waits for the administrator or gets a grant.
    public static func refusal(ofOutcome row: EnrolmentRow?, for key: [UInt8], at time: UInt64) -> ResultCode? {
        guard let row, row.phoneKey == key else { return .timedOut }
        switch row.state {
        case .done: return nil
        case .shown: return time < row.expiry ? nil : .timedOut
        case .open, .claimed, .declined, .cancelled, .lost: return .notAllowed
        }
    }
}

/// The reason for a refusal, as sent to the phone.
public typealias EnrolmentRefusal = ResultCode

/// The result of an enrolment, for the phone.
public enum EnrolmentOutcome: Sendable, Equatable {
    case waiting
    case enrolled(document: [UInt8], grant: [UInt8])
    case refused(ResultCode)
    /// The database has not answered.
    case unknown
}
