import ArgumentParser
import PhoneCore
import PhoneKit
import PhoneMessages

struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock your session at a box.")

    @OptionGroup var box: BoxArgument
    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            try await program.act(on: box, done: "is locked") { (phone, target, shown) throws(PhoneError) in
                try await phone.lock(target, shown)
            }
        }
    }
}

struct UnlockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unlock", abstract: "Unlock your session at a box.")

    @OptionGroup var box: BoxArgument
    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            try await program.act(on: box, done: "is unlocked") { (phone, target, shown) throws(PhoneError) in
                try await phone.unlock(target, shown)
            }
        }
    }
}

struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "logout", abstract: "End your session at a box.")

    @OptionGroup var box: BoxArgument
    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            try await program.act(on: box, done: "is over") { (phone, target, shown) throws(PhoneError) in
                try await phone.logout(target, shown)
            }
        }
    }
}

struct ExtendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend", abstract: "Put off an automatic logout.",
        discussion: """
            A box warns a minute before it ends your session automatically; `boxphone watch` shows the warning. This \
            command puts the logout off, as often and as long as the administrator allows. If the logout is because \
            the phone is away, only coming back puts it off.
            """)

    @OptionGroup var box: BoxArgument
    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            let answer = try await program.trying { (phone) throws(PhoneError) in
                try await phone.extend(target, program.interaction())
            }
            if case .refused(.notAllowed, _) = answer.outcome {
                let why = answer.warning?.whyNot ?? "the administrator does not allow it"
                throw Complaint(.notAllowed, "the logout at box \(target.boxID) cannot be put off: \(why)")
            }
            try program.conclude(answer.outcome, target)
            let next = answer.state?.logoutInSeconds.map { "; it ends in \(Sentences.time($0))" } ?? ""
            program.console.say("Your session at box \(target.boxID) continues\(next).", .green)
            return .done
        }
    }
}

struct AutoLogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auto-logout", abstract: "Set how long you may be away until your session ends.",
        discussion: """
            The time must be within the administrator's bounds, which also override a time that was set earlier.
            """)

    @Argument(help: ArgumentHelp("A time such as 15m, 2h, 1h30m or 90s, or off.", valueName: "TIME"))
    var time: AutoLogoutTime

    @OptionGroup var box: BoxArgument
    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            let answer = try await program.trying { (phone) throws(PhoneError) in
                try await phone.setAutoLogout(target, seconds: time.seconds, program.interaction())
            }
            let holds = answer.state?.autoLogout
            if case .refused(.notAllowed, _) = answer.outcome {
                let wish = AutoLogoutTime.text(time.seconds)
                let instead = holds.map { "choose \($0.boundsText). It stays \(AutoLogoutTime.text($0.seconds))" }
                throw Complaint(
                    .notAllowed,
                    "the administrator of box \(target.boxID) does not allow \(wish); "
                        + (instead ?? "see which times it allows: boxphone status"))
            }
            try program.conclude(answer.outcome, target)
            // Print the box's value, which decides, and not the requested one.
            let seconds = holds?.seconds ?? time.seconds
            program.console.say(
                "Automatic logout at box \(target.boxID) when you are away: \(AutoLogoutTime.text(seconds)).", .green)
            return .done
        }
    }
}

extension Program {
    /// Performs one action on the session, and prints its result.
    fileprivate func act(
        on box: BoxArgument, done: String,
        _ body: (Phone, BoxTarget, PhoneInteraction) async throws(PhoneError) -> RequestOutcome
    ) async throws(Complaint) -> ExitStatus {
        let target = try await target(box)
        let outcome = try await trying { (phone) throws(PhoneError) in
            try await body(phone, target, interaction())
        }
        try conclude(outcome, target)
        console.say("Your session at box \(target.boxID) \(done).", .green)
        return .done
    }

    /// Throws a complaint unless the outcome's exit status is `done`.
    func conclude(_ outcome: RequestOutcome, _ target: BoxTarget) throws(Complaint) {
        let (status, sentence) = outcome.explained(
            boxID: target.boxID, isSiteHeld: target.candidates.first?.mode == .siteHeld)
        guard status == .done else { throw Complaint(status, sentence) }
    }
}
