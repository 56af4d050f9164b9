import ArgumentParser
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

struct AutoLogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auto-logout", abstract: "Set after how long away your session ends by itself.")

    @Argument(help: ArgumentHelp("15m, 2h, 1h30m, 90s, or off.", valueName: "TIME"))
    var time: AutoLogoutTime

    @OptionGroup var box: BoxArgument
    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            let outcome = try await program.trying { (phone) throws(PhoneError) in
                try await phone.setAutoLogout(target, seconds: time.seconds, program.interaction())
            }
            if case .refused(.notAllowed, _) = outcome {
                let wish = AutoLogoutTime.text(time.seconds)
                throw Complaint(
                    .notAllowed,
                    "the administrator of box \(target.boxID) does not allow \(wish); see: boxphone status")
            }
            try program.conclude(outcome, target)
            program.console.say(
                "Automatic logout at box \(target.boxID): \(AutoLogoutTime.text(time.seconds)).", .green)
            return .done
        }
    }
}

extension Program {
    /// One act on the session, and a sentence about it.
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

    /// Nothing for "done", a complaint for anything else.
    func conclude(_ outcome: RequestOutcome, _ target: BoxTarget) throws(Complaint) {
        let (status, sentence) = outcome.explained(boxID: target.boxID)
        guard status == .done else { throw Complaint(status, sentence) }
    }
}
