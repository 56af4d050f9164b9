import VaultPort
import ArgumentParser
import PhoneCore
import PhoneKit
import PhoneMessages
import Secrets
import Vault

struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in at a box.",
        discussion: """
            The password comes from this phone, or from the box behind your PIN, as the administrator has set it. If \
            this phone does not have the password yet, boxphone asks for it. It keeps the password after the box has \
            found it correct, unless you use --once. If the box has refused the stored password, boxphone asks before \
            it sends that password again. It also asks if it does not know the result of the last two logins. The \
            command ends when the box reports the result.
            """)

    @OptionGroup var box: BoxArgument
    @OptionGroup var passwordOptions: PasswordOptions
    @OptionGroup var pinOptions: PINOptions

    @Flag(help: "Do not keep the password that you enter.")
    var once = false

    @Flag(help: "Send the stored password without that question.")
    var sendAgain = false

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func validate() throws {
        try refuseSharedDescriptors(
            ("--password-fd", passwordOptions.descriptor), ("--pin-fd", pinOptions.descriptor))
    }

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            var target = try await program.target(box)
            // An enrolled box and a site's box may show the same digits. A password for one box must not go to another.
            if target.candidates.contains(where: { $0.site != nil }) { target = try await program.chosen(target) }
            if let descriptor = passwordOptions.descriptor {
                guard target.candidates.contains(where: { $0.mode == .phoneHeld }) else {
                    throw Complaint(
                        .usage, "box \(target.boxID) keeps your password; change it with: boxphone credentials set")
                }
                let password = try await program.password(descriptor, question: "")
                return try await login(program, target, password, try givenPIN())
            }
            return try await loginWithStored(program, target, PINUnlock(program: program, given: try givenPIN()))
        }
    }

    private func givenPIN() throws(Complaint) -> HeldSecret? {
        guard let descriptor = pinOptions.descriptor else { return nil }
        return try Program.givenPIN(descriptor, option: "--pin-fd")
    }

    private func loginWithStored(
        _ program: Program, _ target: BoxTarget, _ unlock: PINUnlock
    ) async throws(Complaint) -> ExitStatus {
        let outcome = try await program.trying { (phone) throws(PhoneError) in
            try await phone.login(target, unlock: unlock, program.interaction(sendsAgain: sendAgain))
        }
        switch outcome {
        case .phonePINWrong(let left): throw Complaint(.pinWrong, Sentences.pinWrong(left: left))
        case .phoneWiped: throw Complaint(.wiped, Sentences.phoneWiped)
        case .gaveUp:
            guard !Terminal.exists else { throw Complaint(.interrupted, "no PIN was entered") }
            throw Complaint(.usage, "cannot ask for the PIN: there is no terminal; give it with --pin-fd N")
        case .notSentAgain(let doubt):
            guard Terminal.exists, target.candidates.contains(where: { $0.mode == .phoneHeld }) else {
                throw Complaint(
                    .refusedBefore,
                    Sentences.notSentAgain(target.boxID, doubt, isSaid: Terminal.exists))
            }
            return try await askAndLogin(program, target)
        case .noCredential:
            guard Terminal.exists else {
                throw Complaint(
                    .credentialMissing, "no password is stored for box \(target.boxID); give it with --password-fd N")
            }
            return try await askAndLogin(program, target)
        case .answered(.refused(.wrongCredentials, let detail)):
            guard Terminal.exists, target.candidates.contains(where: { $0.mode == .phoneHeld }) else {
                return try conclude(.refused(.wrongCredentials, detail), program, target)
            }
            program.console.note("The stored password was not accepted.", .yellow)
            return try await askAndLogin(program, target)
        case .answered(let outcome): return try conclude(outcome, program, target)
        }
    }

    /// Asks for a password and tries it, again and again until a password is accepted.
    private func askAndLogin(
        _ program: Program, _ target: BoxTarget
    ) async throws(Complaint) -> ExitStatus {
        while true {
            let password = try await program.password(nil, question: "Password for box \(target.boxID): ")
            do throws(Complaint) {
                return try await login(program, target, password, nil)
            } catch {
                guard error.status == .negative else { throw error }
                program.console.note("The password was not accepted. Try again, or press Ctrl-C.", .yellow)
            }
        }
    }

    private func login(
        _ program: Program, _ target: BoxTarget, _ password: HeldSecret, _ pin: HeldSecret?
    ) async throws(Complaint) -> ExitStatus {
        let outcome = try await program.trying { (phone) throws(PhoneError) in
            try await phone.login(target, credential: password, program.interaction())
        }
        let status = try conclude(outcome, program, target)
        // While the administrator tests the box, no password is checked, so do not keep the password.
        guard outcome == .done else { return status }
        if !once, let box = target.candidates.first, target.candidates.count == 1 {
            try await program.keep(password, for: box, pin: pin)
        }
        return status
    }

    private func conclude(
        _ outcome: RequestOutcome, _ program: Program, _ target: BoxTarget
    ) throws(Complaint) -> ExitStatus {
        let (status, sentence) = outcome.explained(
            boxID: target.boxID, isSiteHeld: target.candidates.first?.mode == .siteHeld)
        guard status == .done else { throw Complaint(status, sentence) }
        guard sentence.isEmpty else {
            program.console.say("Box \(target.boxID): \(sentence).")
            return .done
        }
        program.console.say("Logged in at box \(target.boxID).", .green)
        return .done
    }
}

extension Program {
    /// Keeps a password on this phone, behind the phone's PIN if there is one. A failure does not undo a login.
    func keep(_ password: HeldSecret, for box: KnownBox, pin given: HeldSecret?) async throws(Complaint) {
        var pin = given
        if pin == nil, try await trying({ (phone) throws(PhoneError) in try await phone.hasPIN() }) {
            guard Terminal.exists else {
                return console.note(
                    "The password was not kept, because this phone has a PIN and none was given.", .yellow)
            }
            pin = try await askPIN("PIN of this phone, to keep the password: ", option: "--pin-fd")
        }
        let entered = pin
        let outcome = try await trying { (phone) throws(PhoneError) in
            try await phone.keepCredential(password, for: box, pin: entered)
        }
        switch outcome {
        case .done: return
        case .pinNeeded:
            console.note("The password was not kept, because this phone has a PIN and none was given.", .yellow)
        case .pinWrong(let left):
            throw Complaint(.pinWrong, Sentences.pinWrong(left: left) + "; the new password was not kept")
        case .wiped: throw Complaint(.wiped, Sentences.phoneWiped)
        }
    }
}
