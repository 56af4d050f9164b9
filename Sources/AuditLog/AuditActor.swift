import Names

/// The actor that caused an entry of the audit log.
public struct AuditActor: Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// The agent by itself, for example at its start, at a deadline or when its budget for entries ends.
        case agent = 1
        case phone = 2
        /// A user of the command `boxagent`.
        case person = 3
        /// A program that asked through PAM.
        case program = 4

        /// The name of the kind in exports and listings.
        public var word: String {
            switch self {
            case .agent: "agent"
            case .phone: "phone"
            case .person: "person"
            case .program: "program"
            }
        }
    }

    /// The longest name and place, in bytes. Every user name fits.
    public static let nameBytes = UserName.byteLimit

    public let kind: Kind
    /// For a phone, its id. For a person, the login name if known. For a program, its PAM service.
    public let name: [UInt8]?
    /// For a program, its terminal, if it has one.
    public let place: [UInt8]?
    /// For a person, the uid of the process that asked.
    public let uid: UInt32?

    /// Cuts names that are too long.
    public init(kind: Kind, name: [UInt8]? = nil, place: [UInt8]? = nil, uid: UInt32? = nil) {
        self.kind = kind
        self.name = name.map { Array($0.prefix(Self.nameBytes)) }
        self.place = place.map { Array($0.prefix(Self.nameBytes)) }
        self.uid = uid
    }

    public static let agent = AuditActor(kind: .agent)

    public static func phone(_ id: DeviceID) -> AuditActor {
        AuditActor(kind: .phone, name: Array(id.description.utf8))
    }

    /// `login` is the user who logged in, which `sudo` does not change (loginuid, proc(5)).
    public static func person(uid: UInt32, login: [UInt8]?) -> AuditActor {
        AuditActor(kind: .person, name: login, uid: uid)
    }

    public static func program(service: [UInt8], terminal: [UInt8]?) -> AuditActor {
        AuditActor(kind: .program, name: service, place: terminal)
    }
}
