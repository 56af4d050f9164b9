import PAMProtocol
import PhoneMessages

/// What became of a delivered credential, told from what the module sees of its PAM handle.
///
/// The rules are docs/decisions/013-pam-module.md: PAM tells no module whether a later one succeeded, so
/// "correct" is what only a program that was satisfied goes on to do, and silence is never called "wrong".
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
        /// The answer to the tap; given exactly once.
        case answer(ResultCode)
        /// What the account says after the password was right.
        case accountProblem(AccountProblem)
        case sessionOpened(logindSession: [UInt8]?, terminal: [UInt8]?)
        case sessionClosed
        /// Nothing more comes from this handle.
        case finished
    }

    private enum State: Sendable {
        case undecided(until: Duration)
        case decided(correct: Bool)
        case inSession
        case over
    }

    private var state: State
    private var toldProblem = false

    /// After `silenceLimit` without a sign the outcome is called unknown.
    package init(deliveredAt now: Duration, silenceLimit: Duration = .seconds(60)) {
        state = .undecided(until: now + silenceLimit)
    }

    package var deadline: Duration? {
        if case .undecided(let until) = state { return until }
        return nil
    }

    package mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch (event, state) {
        case (_, .over):
            return []
        case (.timer, .undecided(let until)):
            guard until <= now else { return [] }
            state = .decided(correct: false)
            return [.answer(.outcomeUnknown)]
        case (.timer, _):
            return []
        case (.tested, .undecided):
            state = .over
            return [.answer(.tested), .finished]
        case (.tested, _):
            return []
        case (.connectionLost, .undecided):
            state = .over
            return [.answer(.outcomeUnknown), .finished]
        case (.connectionLost, .inSession):
            state = .over
            return [.sessionClosed, .finished]
        case (.connectionLost, .decided):
            state = .over
            return [.finished]
        case (.module(let event), _):
            return handleModule(event)
        }
    }

    private mutating func handleModule(_ event: PAMEvent) -> [Action] {
        switch event {
        case .verdictReached, .accountEntered, .credentialsEntered:
            return becomeCorrect()
        case .sessionOpened(let logindSession, let terminal):
            let actions = becomeCorrect()
            state = .inSession
            return actions + [.sessionOpened(logindSession: logindSession, terminal: terminal)]
        case .sessionClosed:
            guard case .inSession = state else { return [] }
            state = .decided(correct: true)
            return [.sessionClosed]
        case .passwordExpired:
            return becomeCorrect() + tell(.mustChangePassword)
        case .authenticationRepeated:
            return end(status: PAMStatus.authError)
        case .ended(let status):
            return end(status: status)
        }
    }

    private mutating func becomeCorrect() -> [Action] {
        guard case .undecided = state else { return [] }
        state = .decided(correct: true)
        return [.answer(.correct)]
    }

    private mutating func tell(_ problem: AccountProblem) -> [Action] {
        guard !toldProblem else { return [] }
        toldProblem = true
        return [.accountProblem(problem)]
    }

    private mutating func end(status: UInt64) -> [Action] {
        defer { state = .over }
        switch state {
        case .undecided:
            return [.answer(PAMStatus.refusal(status)), .finished]
        case .decided(correct: true):
            return (PAMStatus.accountProblem(status).map { tell($0) } ?? []) + [.finished]
        case .inSession:
            return [.sessionClosed, .finished]
        case .decided(correct: false), .over:
            return [.finished]
        }
    }
}

/// Linux-PAM's return codes (`_pam_types.h`) that say something about an account.
package enum PAMStatus {
    package static let permissionDenied: UInt64 = 6
    package static let authError: UInt64 = 7
    package static let infoUnavailable: UInt64 = 9
    package static let maxTries: UInt64 = 11
    package static let newTokenRequired: UInt64 = 12
    package static let accountExpired: UInt64 = 13
    package static let conversationFailed: UInt64 = 19
    package static let aborted: UInt64 = 26

    /// A handle that ended before the password was found right.
    package static func refusal(_ status: UInt64) -> ResultCode {
        switch status {
        case maxTries: .accountLocked
        case newTokenRequired: .passwordMustChange
        case accountExpired: .accountExpired
        // Nobody has judged the password: the directory did not answer, or the person gave up.
        case infoUnavailable, conversationFailed, aborted: .outcomeUnknown
        default: .wrongCredentials
        }
    }

    /// A handle that ended after the password was found right; other codes say nothing about the account.
    package static func accountProblem(_ status: UInt64) -> AccountProblem? {
        switch status {
        case permissionDenied, authError: .denied
        case maxTries: .locked
        case newTokenRequired: .mustChangePassword
        case accountExpired: .expired
        default: nil
        }
    }
}
