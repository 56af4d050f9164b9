import AgentCore
import Names
import PhoneCore
import PhoneMessages
import Secrets
import VaultPort

/// A phone, the person who carries it, and what it is doing.
struct WorldPhone {
    static let users = ["alice", "bob", "carol"]

    let user: String
    let pin: String
    /// Its key is also used by somebody who keeps to no rule.
    let isHostile: Bool
    /// A page in a browser.
    let isWeb: Bool
    var vault = ModelPhoneVault()
    var errand: WorldErrand?
    /// Six digits on its screen, to be compared.
    var digits: String?
    /// The box has said that it keeps nothing for this phone.
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

    /// What the box calls it, once it has enrolled it.
    var device: DeviceID? { vault.row.map { DeviceID(known: Array($0.publicKey.prefix(DeviceID.byteCount))) } }
    var isEnrolled: Bool { vault.row?.box.confirmed ?? false }
}

/// An order of a person's, with what it asked of the world and has not been given.
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

        /// The box was heard, and only time goes on.
        var waitsForTime: Bool {
            if case .scan(_, _, isHeard: true) = self { true } else { false }
        }

        /// The person or the phone's own store takes its time, which is no errand's fault.
        var isExcused: Bool {
            switch self {
            case .vault, .pin, .choose, .again: true
            default: false
            }
        }
    }

    let errand: Errand
    let purpose: Purpose
    /// The step in which it began, and the phone's time then.
    let step: Int
    let begun: Duration
    /// How long it had to wait for its person, or the phone's store.
    var excused = Duration.zero
    var pending: [Pending] = []
    /// The link that it knows by this number.
    var link: (number: OperationNumber, channel: ChannelID?)?
    /// What a program asks its person to allow.
    var elevation: ElevationID?

    /// How long it may take, from `PhoneLimits`: two searches with all their links and handshakes, two answers, a confirmation.
    var bound: Duration? {
        switch purpose {
        case .watch: nil
        case .enrol: .seconds(5_000)
        case .login: .seconds(1_600)
        case .lock, .other: .seconds(1_000)
        }
    }
}
