import TextOutput

/// The exit statuses of boxphone. Scripts rely on the numbers.
enum ExitStatus: Int32, ExitStatuses, Sendable {
    case done = 0
    /// The box did not accept the password, or the user declined an irreversible step.
    case negative = 1
    case pinWrong = 2
    case wiped = 3
    case refused = 4
    case busy = 5
    case timedOut = 6
    case outcomeUnknown = 7
    case accountProblem = 8
    case session = 9
    case credentialMissing = 10
    case lockedOut = 11
    case refusedBefore = 12
    case usage = 64
    case badInput = 65
    case notFound = 69
    case boxFault = 70
    case system = 71
    case notAllowed = 77
    case vault = 78
    case interrupted = 130

    var meaning: String {
        switch self {
        case .done: "done"
        case .negative: "the password was not accepted; or forget found no such box or site, or you declined"
        case .pinWrong: "the PIN is wrong"
        case .wiped: "too many wrong PINs: the stored password is destroyed"
        case .refused: "the box did not accept this phone, is not the enrolled box, or has a copy in range"
        case .busy: "the box is busy with another user"
        case .timedOut: "no login prompt asked for the password, or no reply in time"
        case .outcomeUnknown: "the password was sent, but the result is unknown"
        case .accountProblem: "the account, another check or the session refused the login"
        case .session: "no session is open, the session could not be locked, or no logout is near"
        case .credentialMissing: "no password is stored, or the stored one is out of date"
        case .lockedOut: "too many wrong PINs for now: try again later"
        case .refusedBefore: "the stored password was refused before, or may have been: it was not sent again"
        case .usage: "the command was not understood"
        case .badInput: "a code, grant, password, PIN or measurement is not valid"
        case .notFound: "the box is not in range, or could not be reached"
        case .boxFault: "the box has a fault, or its reply is not valid"
        case .system: "this machine refused something that boxphone needs"
        case .notAllowed: "the administrator does not allow it"
        case .vault: "this phone's own store or its config.toml cannot be used"
        case .interrupted: "interrupted"
        }
    }
}
