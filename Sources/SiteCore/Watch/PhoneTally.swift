import SiteLink

/// Counts a server's work for phones since its start.
public struct PhoneTally: Sendable, Equatable {
    /// The outcome of a request about a credential that the site holds.
    public enum HeldEnd: String, Hashable, Sendable, CaseIterable {
        case done, opened, wrong, wiped, locked, none, refused, unavailable

        init(_ outcome: HeldAnswer.Outcome) {
            self =
                switch outcome {
                case .done: .done
                case .opened: .opened
                case .pinWrong: .wrong
                case .wiped: .wiped
                case .lockedOut: .locked
                case .noCredential: .none
                case .refused: .refused
                case .notNow: .unavailable
                }
        }
    }

    public private(set) var held: [HeldEnd: UInt64] = [:]
    /// Credentials that a wrong PIN destroyed.
    public private(set) var wipes: UInt64 = 0
    /// Grants issued for administrators and enrolments, and grants renewed for boxes.
    public private(set) var grants: UInt64 = 0
    public private(set) var renewals: UInt64 = 0
    /// Renewals that the site refused.
    public private(set) var renewalsRefused: UInt64 = 0
    /// Phones that were enrolled by a code.
    public private(set) var enrolments: UInt64 = 0

    /// Counts the result of a request.
    mutating func hear(_ event: SiteEvent) {
        switch event {
        case .renewed(_, _, .issued): renewals += 1
        case .renewed(_, _, .refused): renewalsRefused += 1
        case .held(_, _, let result):
            held[HeldEnd(result.outcome), default: 0] += 1
            if result.hasWiped { wipes += 1 }
        case .grantIssued: grants += 1
        case .phoneEnrolled: enrolments += 1
        default: break
        }
    }
}
