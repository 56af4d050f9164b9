import PAMProtocol
import PhoneMessages

/// The stages of a delivered credential, derived from the calls that the module sees on its PAM handle.
///
/// PAM tells no module whether a later one succeeded (docs/decisions/013-pam-module.md). So each stage is what only a program
/// that was satisfied with the one before goes on to do, and silence is never called "wrong".
package struct LoginVerdict: Sendable {
    package enum Event: Equatable, Sendable {
        case module(PAMEvent)
        /// The module's socket closed without `ended`: the program was killed, or never called pam_end.
        case connectionLost
        /// It was no program: the administrator was trying the box.
        case tested
        case timer
    }

    package enum Action: Equatable, Sendable {
        /// A stage that the person is told of. Comes before the answer, each at most once.
        case progress(LoginProgress)
        /// The answer to the tap; given exactly once.
        case answer(ResultCode)
        case sessionOpened(logindSession: [UInt8]?, terminal: [UInt8]?)
        case sessionClosed
        /// Nothing more comes from this handle.
        case finished
    }

    /// The purpose of the credential, which decides when the program has let the person in.
    package enum Purpose: Sendable {
        /// A session follows, or an old one goes on.
        case login
        /// The program does the work that needed the password, such as a command of sudo.
        case elevation
    }

    /// How far the program has come; each stage includes those before it.
    private enum Stage: Comparable, Sendable {
        case handedOver
        /// The line behind the password modules was reached. Another check may refuse still.
        case passwordAccepted
        /// The account is being looked at, so authentication has succeeded as a whole.
        case authenticated
        /// Credentials are being set, so the account may be used.
        case accountAccepted
        /// The module's session line was reached. A line behind it may fail still.
        case sessionOpening
    }

    /// Time for the lines behind the module's session line. A session that lasts longer has opened.
    package static let settling: Duration = .milliseconds(500)

    private let purpose: Purpose
    private let silenceLimit: Duration
    private var stage = Stage.handedOver
    /// When the stage counts as the last one.
    private var until: Duration
    private var mustChangePassword = false
    /// The last stage that the person was told of.
    private var told: LoginProgress?
    private var isAnswered = false
    private var isInSession = false
    private var isOver = false

    /// Begins at the delivery. A stage that no other follows within `silenceLimit` is the last one.
    package init(_ purpose: Purpose, deliveredAt now: Duration, silenceLimit: Duration = .seconds(60)) {
        self.purpose = purpose
        self.silenceLimit = silenceLimit
        until = now + silenceLimit
    }

    /// When to hand in `.timer`; nil once the answer is given.
    package var deadline: Duration? { isAnswered || isOver ? nil : until }

    package mutating func handle(_ event: Event, now: Duration) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .timer: return isAnswered || until > now ? [] : answer(codeOfSilence)
        case .tested: return isAnswered ? [] : end(.tested)
        case .connectionLost: return end(codeOfLoss)
        case .module(let event): return handle(event, now)
        }
    }

    private mutating func handle(_ event: PAMEvent, _ now: Duration) -> [Action] {
        switch event {
        case .verdictReached: return reach(.passwordAccepted, now)
        case .accountEntered: return reach(.authenticated, now)
        case .credentialsEntered:
            // util-linux's login(1) does so a second time, once its session is open.
            let isLetIn = purpose == .elevation || stage == .sessionOpening
            return reach(.accountAccepted, now) + (isLetIn ? answer(.correct) : [])
        case .credentialsRefreshed: return reach(.accountAccepted, now) + answer(.correct)
        case .passwordExpired:
            let actions = reach(.authenticated, now) + tell(.passwordMustChange)
            mustChangePassword = stage == .authenticated
            until = now + silenceLimit
            return actions
        case .sessionOpened(let logindSession, let terminal):
            let actions = reach(.sessionOpening, now)
            until = now + Self.settling
            isInSession = true
            let session = Action.sessionOpened(logindSession: logindSession, terminal: terminal)
            return actions + [session] + (purpose == .elevation ? answer(.correct) : [])
        case .sessionClosed: return (isAnswered ? [] : answer(.sessionFailed)) + closeSession()
        case .notAccepted: return end(PAMStatus.refusal(PAMStatus.authError, isPasswordAccepted: isAccepted))
        case .ended(let status): return end(code(of: status))
        }
    }

    private mutating func reach(_ next: Stage, _ now: Duration) -> [Action] {
        guard next > stage else { return [] }
        stage = next
        if next >= .accountAccepted { mustChangePassword = false }
        until = now + silenceLimit
        return tell(.passwordAccepted)
    }

    /// Tells a stage once. They come in the order of their numbers.
    private mutating func tell(_ progress: LoginProgress) -> [Action] {
        guard !isAnswered, progress.rawValue > told?.rawValue ?? 0 else { return [] }
        told = progress
        return [.progress(progress)]
    }

    private mutating func answer(_ code: ResultCode) -> [Action] {
        guard !isAnswered else { return [] }
        isAnswered = true
        return [.answer(code)]
    }

    private mutating func closeSession() -> [Action] {
        defer { isInSession = false }
        return isInSession ? [.sessionClosed] : []
    }

    private mutating func end(_ code: ResultCode) -> [Action] {
        isOver = true
        return answer(code) + closeSession() + [.finished]
    }

    private var isAccepted: Bool { stage >= .passwordAccepted }

    /// The result after `silenceLimit` or `settling` without an event.
    private var codeOfSilence: ResultCode {
        switch stage {
        case .sessionOpening: .correct
        // A stack without the module's session line shows no more than this.
        case .handedOver, .accountAccepted: .outcomeUnknown
        case .passwordAccepted, .authenticated: mustChangePassword ? .passwordMustChange : .notLetIn
        }
    }

    private var codeOfLoss: ResultCode { stage == .sessionOpening ? .sessionFailed : codeOfSilence }

    /// pam_end came before the answer.
    private func code(of status: UInt64) -> ResultCode {
        switch stage {
        case .accountAccepted, .sessionOpening: return .sessionFailed
        // sudo and polkit's helper pass their last status. LightDM always passes 0, so a login's 0 shows no success.
        case _ where isAccepted && purpose == .elevation && status == PAMStatus.success: return .correct
        case .handedOver, .passwordAccepted, .authenticated:
            let refusal = PAMStatus.refusal(status, isPasswordAccepted: isAccepted)
            return mustChangePassword && refusal == .notLetIn ? .passwordMustChange : refusal
        }
    }
}

/// Linux-PAM's return codes (`_pam_types.h`) that say something about an account.
package enum PAMStatus {
    package static let success: UInt64 = 0
    package static let permissionDenied: UInt64 = 6
    package static let authError: UInt64 = 7
    package static let infoUnavailable: UInt64 = 9
    package static let userUnknown: UInt64 = 10
    package static let maxTries: UInt64 = 11
    package static let newTokenRequired: UInt64 = 12
    package static let accountExpired: UInt64 = 13
    package static let conversationFailed: UInt64 = 19
    package static let aborted: UInt64 = 26

    /// The result of a handle that ends before the person is let in.
    package static func refusal(_ status: UInt64, isPasswordAccepted: Bool) -> ResultCode {
        switch status {
        case maxTries: .accountLocked
        case newTokenRequired: .passwordMustChange
        case accountExpired: .accountExpired
        case permissionDenied where isPasswordAccepted, userUnknown where isPasswordAccepted: .accountDenied
        case _ where isPasswordAccepted: .notLetIn
        // Nobody has judged the password: the directory did not answer, or the person gave up.
        case infoUnavailable, conversationFailed, aborted: .outcomeUnknown
        default: .wrongCredentials
        }
    }
}
