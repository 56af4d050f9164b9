#if hasFeature(Embedded)
    import NamesEmbedded
    import WireEmbedded
#else
    import Names
    import Wire
#endif

/// The module's request when a program authenticates a user.
public struct PAMAuthentication: Equatable, Sendable {
    /// PAM_SERVICE, at most `PAMLimits.serviceBytes`.
    public var service: [UInt8]
    /// PAM_USER, if the program has already asked for it.
    public var user: [UInt8]?
    /// PAM_TTY.
    public var terminal: [UInt8]?
    /// PAM_RHOST. Callers over a network are refused.
    public var remoteHost: [UInt8]?
    /// Seconds to wait for a tap. With 0, only a tap that came first counts, and no password prompt is delayed.
    public var waitSeconds: UInt64

    public init(
        service: [UInt8], user: [UInt8]?, terminal: [UInt8]?, remoteHost: [UInt8]?, waitSeconds: UInt64
    ) {
        self.service = service
        self.user = user
        self.terminal = terminal
        self.remoteHost = remoteHost
        self.waitSeconds = waitSeconds
    }
}

/// The module's observation of a PAM handle after a delivery (docs/decisions/013-pam-module.md).
public enum PAMEvent: Equatable, Sendable {
    /// The line after the password modules was reached. A `required` line before it may have failed.
    case verdictReached
    case accountEntered
    case credentialsEntered
    /// setcred with PAM_REINITIALIZE_CRED or PAM_REFRESH_CRED, for example when a session is unlocked.
    case credentialsRefreshed
    /// No module accepted the credential: all refused it, another password was used, or authentication started again.
    case notAccepted
    /// chauthtok with PAM_CHANGE_EXPIRED_AUTHTOK: the password is correct but must be changed first.
    case passwordExpired
    /// The PAM session opened. Names the logind session if libpam's environment has it.
    case sessionOpened(logindSession: [UInt8]?, terminal: [UInt8]?)
    case sessionClosed
    /// pam_end, with the program's status without PAM_DATA_SILENT.
    case ended(status: UInt64)
}

/// A message from the PAM module to the agent: on the wire `[kind, …]`, in one SOCK_SEQPACKET message.
public enum PAMRequest: Equatable, Sendable {
    case authenticate(PAMAuthentication)
    case event(PAMEvent)
    /// chauthtok changed the user's password, so stored credentials are stale.
    case passwordChanged(service: [UInt8], user: [UInt8])
    /// open_session after a typed password was accepted. The user is named too, because the session's number comes from
    /// the PAM environment, to which users may write (pam_env(8)).
    case passwordTyped(user: [UInt8], session: [UInt8])

    public static func decode(_ input: RawSpan) throws(WireError) -> PAMRequest {
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        let request: PAMRequest
        switch (head.kind, head.fields) {
        case (1, 6):
            guard try reader.readUnsigned(in: input) == PAMLimits.protocolVersion else { throw .unknown }
            request = .authenticate(
                PAMAuthentication(
                    service: try reader.readBoundedBytes(in: input, limit: PAMLimits.serviceBytes),
                    user: try reader.readOptionalBytes(in: input, limit: UserName.byteLimit),
                    terminal: try reader.readOptionalBytes(in: input, limit: PAMLimits.terminalBytes),
                    remoteHost: try reader.readOptionalBytes(in: input, limit: PAMLimits.remoteHostBytes),
                    waitSeconds: try reader.readUnsigned(in: input, limit: PAMLimits.waitSeconds)))
        case (2, 0): request = .event(.verdictReached)
        case (3, 0): request = .event(.accountEntered)
        case (4, 0): request = .event(.credentialsEntered)
        case (5, 0): request = .event(.notAccepted)
        case (6, 0): request = .event(.passwordExpired)
        case (7, 2):
            request = .event(
                .sessionOpened(
                    logindSession: try reader.readOptionalBytes(in: input, limit: PAMLimits.sessionBytes),
                    terminal: try reader.readOptionalBytes(in: input, limit: PAMLimits.terminalBytes)))
        case (8, 0): request = .event(.sessionClosed)
        case (9, 1): request = .event(.ended(status: try reader.readUnsigned(in: input, limit: 0x7FFF_FFFF)))
        case (10, 2):
            request = .passwordChanged(
                service: try reader.readBoundedBytes(in: input, limit: PAMLimits.serviceBytes),
                user: try reader.readBoundedBytes(in: input, limit: UserName.byteLimit))
        case (11, 0): request = .event(.credentialsRefreshed)
        case (12, 2):
            request = .passwordTyped(
                user: try reader.readBoundedBytes(in: input, limit: UserName.byteLimit),
                session: try reader.readBoundedBytes(in: input, limit: PAMLimits.sessionBytes))
        default: throw .unknown
        }
        try reader.finish(in: input)
        return request
    }

    public func encode(into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        switch self {
        case .authenticate(let request):
            try writer.writeMessageHead(1, fields: 6, to: &output)
            try writer.writeUnsigned(PAMLimits.protocolVersion, to: &output)
            try writer.writeBytes(request.service, to: &output)
            try writer.writeOptionalBytes(request.user, to: &output)
            try writer.writeOptionalBytes(request.terminal, to: &output)
            try writer.writeOptionalBytes(request.remoteHost, to: &output)
            try writer.writeUnsigned(request.waitSeconds, to: &output)
        case .event(let event):
            try event.write(with: &writer, to: &output)
        case .passwordChanged(let service, let user):
            try writer.writeMessageHead(10, fields: 2, to: &output)
            try writer.writeBytes(service, to: &output)
            try writer.writeBytes(user, to: &output)
        case .passwordTyped(let user, let session):
            try writer.writeMessageHead(12, fields: 2, to: &output)
            try writer.writeBytes(user, to: &output)
            try writer.writeBytes(session, to: &output)
        }
        return writer.offset
    }
}

extension PAMEvent {
    private var kind: UInt64 {
        switch self {
        case .verdictReached: 2
        case .accountEntered: 3
        case .credentialsEntered: 4
        case .notAccepted: 5
        case .passwordExpired: 6
        case .sessionOpened: 7
        case .sessionClosed: 8
        case .ended: 9
        case .credentialsRefreshed: 11
        }
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        switch self {
        case .sessionOpened(let logindSession, let terminal):
            try writer.writeMessageHead(kind, fields: 2, to: &output)
            try writer.writeOptionalBytes(logindSession, to: &output)
            try writer.writeOptionalBytes(terminal, to: &output)
        case .ended(let status):
            try writer.writeMessageHead(kind, fields: 1, to: &output)
            try writer.writeUnsigned(status, to: &output)
        default:
            try writer.writeMessageHead(kind, fields: 0, to: &output)
        }
    }
}
