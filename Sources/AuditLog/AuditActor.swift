import Names

/// Who did what an entry of the audit log tells of.
public struct AuditActor: Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// The agent by itself: a deadline, the start, the end of its budget.
        case agent = 1
        case phone = 2
        /// Somebody at the command `boxagent`.
        case person = 3
        /// A program that asked by PAM.
        case program = 4

        /// As exports and listings name it.
        public var word: String {
            switch self {
            case .agent: "agent"
            case .phone: "phone"
            case .person: "person"
            case .program: "program"
            }
        }
    }

    /// Longest name and place, in bytes: user names fit.
    public static let nameBytes = UserName.byteLimit

    public let kind: Kind
    /// Phone: its id. Person: the name under which that person logged in, where it is known. Program: its PAM service.
    public let name: [UInt8]?
    /// Program: its terminal, where it has one.
    public let place: [UInt8]?
    /// Person: the uid of the process that asked.
    public let uid: UInt32?

    /// Names that are too long are cut.
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

    /// `login`: who logged in, which `sudo` does not change (loginuid, proc(5)).
    public static func person(uid: UInt32, login: [UInt8]?) -> AuditActor {
        AuditActor(kind: .person, name: login, uid: uid)
    }

    public static func program(service: [UInt8], terminal: [UInt8]?) -> AuditActor {
        AuditActor(kind: .program, name: service, place: terminal)
    }
}
