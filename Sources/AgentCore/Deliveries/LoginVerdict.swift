import PAMProtocol
import PhoneMessages

/// The stages of a delivered credential, derived from the calls that the module sees on its PAM handle.
///
/// PAM tells no module whether a later one succeeded (docs/decisions/013-pam-module.md). A stage is therefore a step
/// that a program takes only if the previous stage succeeded. Silence never means "wrong".
package struct LoginVerdict: Sendable {
    package enum Event: Equatable, Sendable {
        case module(PAMEvent)
        /// Credentials were renewed, and logind knows no session of the user that the program could unlock.
        case nothingUnlocked
        /// The module's socket closed without `ended`: the program was killed, or never called pam_end.
        case connectionLost
        /// logind removed the session while the program's handle was still open.
        case sessionRemoved
        /// An administrator tested the box; there was no program.
        case tested
        case agentStops
        case timer
    }

    package enum Action: Equatable, Sendable {
        /// A stage to report to the user. Each stage occurs at most once, before the answer.
        case progress(LoginProgress)
        /// The answer to the tap. It is given exactly once.
        case answer(ResultCode)
        /// The program begins to open a session. The phone owns the session at once, but the opening may still fail.
        case sessionOpened(logindSession: [UInt8]?, terminal: [UInt8]?)
        /// No line after the module's line has refused the session.
        case sessionLasts
        /// - Parameter said: True if the program has closed the session, and not only left or failed.
        case sessionClosed(said: Bool)
        /// The handle sends no further events.
        case finished
    }

    /// The purpose of the credential. It determines at which stage the program has let the user in.
    package enum Purpose: Sendable {
        /// A session follows, or an existing one continues.
        case login
        /// The program sets credentials and performs the task that needed the password, such as a command of sudo.
        case elevation
        /// polkit's helper: it checks the password and the account, and ends.
        case authorization
    }

    /// The progress of the program. Each stage includes the earlier ones.
    private enum Stage: Comparable, Sendable {
        case handedOver
        /// The line after the password modules was reached. Another check may still refuse.
        case passwordAccepted
        /// The account is being checked, so authentication has succeeded as a whole.
        case authenticated
        /// Credentials are being set, so the account may be used.
        case accountAccepted
        /// Credentials are being renewed, as for an unlocked session. A line after the module's may still fail.
        case credentialsRenewed
        /// The module's session line was reached. A later line may still fail.
        case sessionOpening
    }

    private enum Session: Sendable { case none, opening, open }

    /// The time in which the stack's lines after the module's last line can refuse. A handle that lives longer has
    /// passed those lines.
    package static let settling: Duration = .milliseconds(500)
    /// The time in which the agent reads the messages of a program. A timer that is later shows that the agent was busy
    /// or stopped, for instance by a slow disk.
    static let tolerance: Duration = .milliseconds(20)

    private let purpose: Purpose
    private let silenceLimit: Duration
    private var stage = Stage.handedOver
    /// The time at which the stage counts as the last one.
    private var until: Duration
    private var mustChangePassword = false
    /// The last stage that was reported to the user.
    private var told: LoginProgress?
    private var isAnswered = false
    private var session = Session.none
    private var hasUnlockedNothing = false
    /// The time at which this stage's first late timer was postponed.
    private var putOffAt: Duration?
    private var isOver = false

    /// Begins at the delivery. A stage is final if no other follows within `silenceLimit`.
    package init(_ purpose: Purpose, deliveredAt now: Duration, silenceLimit: Duration = .seconds(60)) {
        self.purpose = purpose
        self.silenceLimit = silenceLimit
        until = now + silenceLimit
    }

    /// The time at which `.timer` is due, or nil once the answer is given and no session is opening.
    package var deadline: Duration? {
        isOver || isAnswered && session != .opening ? nil : until
    }

    package mutating func handle(_ event: Event, now: Duration) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .timer: return timeHasCome(now)
        case .tested: return isAnswered ? [] : end(.tested)
        case .agentStops: return answer(.outcomeUnknown)
        // LightDM also renews credentials for a login that its greeter drops.
        case .nothingUnlocked:
            hasUnlockedNothing = true
            return reach(.accountAccepted, now)
        case .connectionLost: return end(codeOfLoss)
        case .sessionRemoved: return session == .opening ? answer(.sessionFailed) + closeSession() : []
        case .module(let event): return handle(event, now)
        }
    }

    private mutating func timeHasCome(_ now: Duration) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        // A late timer may mean that the agent itself was stopped. First let it read the messages that came meanwhile.
        let late = now - deadline
        let first = putOffAt ?? now
        if late > .zero, putOffAt == nil || late >= Self.tolerance, now - first < silenceLimit {
            wait(min(max(late, Self.tolerance), Self.settling), now)
            putOffAt = first
            return []
        }
        let actions: [Action] = session == .opening ? [.sessionLasts] : []
        if session == .opening { session = .open }
        return actions + answer(codeOfSilence)
    }

    private mutating func handle(_ event: PAMEvent, _ now: Duration) -> [Action] {
        switch event {
        case .verdictReached: return reach(.passwordAccepted, now)
        case .accountEntered: return reach(.authenticated, now)
        case .credentialsEntered: return reach(.accountAccepted, now)
        case .credentialsRefreshed: return reach(.credentialsRenewed, now)
        case .passwordExpired:
            let actions = reach(.authenticated, now) + tell(.passwordMustChange)
            mustChangePassword = stage == .authenticated
            wait(silenceLimit, now)
            return actions
        case .sessionOpened(let logindSession, let terminal):
            let actions = reach(.sessionOpening, now)
            // Count one session only: a stack may list the module's session line twice.
            guard session == .none else { return actions }
            session = .opening
            wait(Self.settling, now)
            return actions + [.sessionOpened(logindSession: logindSession, terminal: terminal)]
        // Do not answer an elevation here: sudo may end within `settling`, and its status at pam_end is more precise.
        case .sessionClosed: return (purpose == .login ? answer(.sessionFailed) : []) + closeSession(said: true)
        case .notAccepted: return end(isAccepted ? .notLetIn : .wrongCredentials)
        case .ended(let status): return end(code(of: status))
        }
    }

    private mutating func reach(_ next: Stage, _ now: Duration) -> [Action] {
        guard next > stage else { return [] }
        stage = next
        if next >= .accountAccepted { mustChangePassword = false }
        wait(letsIn ? Self.settling : silenceLimit, now)
        return tell(.passwordAccepted)
    }

    private mutating func wait(_ duration: Duration, _ now: Duration) {
        until = now + duration
        putOffAt = nil
    }

    /// Reports a stage once, in the order of the raw values.
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

    private mutating func closeSession(said: Bool = false) -> [Action] {
        defer { session = .none }
        return session == .none ? [] : [.sessionClosed(said: said)]
    }

    private mutating func end(_ code: ResultCode) -> [Action] {
        isOver = true
        return answer(code) + closeSession() + [.finished]
    }

    private var isAccepted: Bool { stage >= .passwordAccepted }
    private var isAccountChecked: Bool { stage >= .authenticated }

    /// Returns whether only a line after the module's can still refuse. `su` and sudo have no stage after
    /// `accountAccepted` that all of their configurations reach.
    private var letsIn: Bool { stage >= (purpose == .login ? .credentialsRenewed : .accountAccepted) }

    /// The result after `silenceLimit` or `settling` without an event. The program may still wait for the user, such as
    /// for a second factor, a new password, or a button of LightDM's greeter.
    private var codeOfSilence: ResultCode { letsIn ? .correct : .outcomeUnknown }

    private var codeOfLoss: ResultCode {
        // `sudo -v` ends without pam_end. So does doas if no session opens.
        guard purpose == .login else { return .outcomeUnknown }
        switch stage {
        case .sessionOpening: return .sessionFailed
        case .passwordAccepted, .authenticated: return mustChangePassword ? .passwordMustChange : .notLetIn
        // A stack without the module's session line reaches only `accountAccepted`.
        case .handedOver, .accountAccepted, .credentialsRenewed: return .outcomeUnknown
        }
    }

    /// Returns the result if pam_end came before the answer.
    private func code(of status: UInt64) -> ResultCode {
        if status == PAMStatus.success, let code = codeOfSuccess { return code }
        if purpose == .login, stage == .accountAccepted || stage == .sessionOpening { return .sessionFailed }
        if mustChangePassword { return .passwordMustChange }
        return PAMStatus.refusal(status, isPasswordAccepted: isAccepted, isAccountChecked: isAccountChecked)
    }

    /// The result of pam_end with 0, or nil if that shows nothing.
    private var codeOfSuccess: ResultCode? {
        guard isAccepted else { return nil }
        switch purpose {
        // LightDM always passes 0. A program that renewed credentials has no further step.
        case .login where hasUnlockedNothing && stage == .accountAccepted: return .outcomeUnknown
        case .login: return stage == .credentialsRenewed ? .correct : nil
        // sudo passes 0 before it sets credentials if sudoers denies the command.
        case .elevation: return letsIn ? .correct : .outcomeUnknown
        case .authorization: return .correct
        }
    }
}

/// Linux-PAM's return codes (`_pam_types.h`) that concern an account.
package enum PAMStatus {
    package static let success: UInt64 = 0
    package static let permissionDenied: UInt64 = 6
    package static let authError: UInt64 = 7
    package static let userUnknown: UInt64 = 10
    package static let maxTries: UInt64 = 11
    package static let newTokenRequired: UInt64 = 12
    package static let accountExpired: UInt64 = 13

    /// Returns the result of a handle that ends before the user is let in. Only the account's check can name the account
    /// as the reason: a second factor may return the same statuses.
    static func refusal(_ status: UInt64, isPasswordAccepted: Bool, isAccountChecked: Bool) -> ResultCode {
        switch status {
        case maxTries where isAccountChecked: .accountLocked
        case newTokenRequired where isAccountChecked || !isPasswordAccepted: .passwordMustChange
        case accountExpired where isAccountChecked || !isPasswordAccepted: .accountExpired
        case permissionDenied where isAccountChecked, userUnknown where isAccountChecked: .accountDenied
        case _ where isPasswordAccepted: .notLetIn
        // LightDM passes 0 for every refusal.
        case success, authError, userUnknown: .wrongCredentials
        // No module has checked the password: the directory did not answer, a module is missing, or the user gave up.
        default: .outcomeUnknown
        }
    }
}
