import AgentCore
import Names
import PhoneCore
import PhoneMessages
import Secrets
import VaultPort

/// A phone, its user, and its present operation.
struct WorldPhone {
    static let users = ["alice", "bob", "carol"]

    let user: String
    let pin: String
    /// True if an intruder also uses the phone's key.
    let isHostile: Bool
    /// True for a page in a browser.
    let isWeb: Bool
    var vault = ModelPhoneVault()
    var errand: WorldErrand?
    /// The six digits on the phone's screen, to compare.
    var digits: String?
    /// True until this phone stores something at the box, and again after the box reports that it stores nothing.
    var hasNothingStored = true

    init(number: Int, user: String? = nil, isHostile: Bool, isWeb: Bool = false) {
        self.user = user ?? Self.users[number % Self.users.count]
        pin = "4711\(number)"
        self.isHostile = isHostile
        self.isWeb = isWeb
    }

    var capabilities: Capabilities {
        let shared: Capabilities = [.logoutWarnings, .elevation, .sessionEnds]
        return shared.union(isWeb ? .browser : .presence)
    }

    /// The id by which the box knows the phone after the enrolment.
    var device: DeviceID? { vault.row.map { DeviceID(known: Array($0.publicKey.prefix(DeviceID.byteCount))) } }
    var isEnrolled: Bool { vault.row?.box.confirmed ?? false }
}

/// An operation of a user, with its unanswered requests to the world.
struct WorldErrand {
    enum Purpose { case login, lock, enrol, watch, other }

    enum Pending {
        case scan(OperationNumber, until: Duration, isHeard: Bool)
        case connect(OperationNumber)
        case identify(OperationNumber)
        case open(OperationNumber)
        case measure(OperationNumber)
        case vault(OperationNumber, PhoneVaultCommand)
        case pin
        case choose([KnownBox])
        case again

        /// True for a scan that has heard the box, which only the passing of time can end.
        var waitsForTime: Bool {
            if case .scan(_, _, isHeard: true) = self { true } else { false }
        }

        /// True if the user or the phone's own store takes the time, which is not the operation's fault.
        var isExcused: Bool {
            switch self {
            case .vault, .pin, .choose, .again: true
            default: false
            }
        }
    }

    let errand: Errand
    let purpose: Purpose
    /// The step and the phone's time at which the operation began.
    let step: Int
    let begun: Duration
    /// How long the operation waited for the user or the phone's store.
    var excused = Duration.zero
    var pending: [Pending] = []
    /// The link, which the operation knows by this number.
    var link: (number: OperationNumber, channel: ChannelID?)?
    /// The elevation that the user is asked to allow.
    var elevation: ElevationID?

    /// The longest time that the operation may take. It follows from `PhoneLimits`: two searches with links and
    /// handshakes, two answers, and a confirmation.
    var bound: Duration? {
        switch purpose {
        case .watch: nil
        case .enrol: .seconds(5_000)
        case .login: .seconds(1_600)
        case .lock, .other: .seconds(1_000)
        }
    }
}
