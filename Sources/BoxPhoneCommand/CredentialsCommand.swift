import ArgumentParser
import PhoneCore
import PhoneKit
import Secrets

struct CredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials", abstract: "Store the password for a box.", subcommands: [Set.self])

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enter the password that logs you in at a box.",
            discussion: """
                Where the box keeps passwords, this sends it there with a new PIN and all of its tries, in place of \
                what the box held: after a changed password, a forgotten PIN, or too many wrong ones. Otherwise the password is \
                kept on this phone, behind the phone's own PIN if it has one.
                """)

        @OptionGroup var box: BoxArgument
        @OptionGroup var passwordOptions: PasswordOptions
        @OptionGroup var pinOptions: PINOptions
        @OptionGroup var newPINOptions: NewPINOptions
        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func validate() throws {
            try refuseSharedDescriptors(
                ("--password-fd", passwordOptions.descriptor), ("--pin-fd", pinOptions.descriptor),
                ("--new-pin-fd", newPINOptions.descriptor))
            if pinOptions.descriptor != nil, newPINOptions.descriptor != nil {
                throw ValidationError("one PIN is enough: --new-pin-fd for a box, --pin-fd for this phone")
            }
        }

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                var target = try await program.target(box)
                if target.candidates.contains(where: { $0.mode == .boxHeld }) {
                    target = try await program.chosen(target)
                }
                let password = try await program.password(
                    passwordOptions.descriptor, question: "Password for box \(target.boxID): ")
                guard target.candidates.contains(where: { $0.mode == .boxHeld }) else {
                    return try await keep(program, target, password)
                }
                let pin = try await program.newPIN(
                    newPINOptions.descriptor ?? pinOptions.descriptor,
                    option: pinOptions.descriptor == nil ? "--new-pin-fd" : "--pin-fd")
                let box = target
                let outcome = try await program.trying { (phone) throws(PhoneError) in
                    try await phone.storeCredential(box, credential: password, pin: pin, program.interaction())
                }
                try program.conclude(outcome, target)
                program.console.say("Box \(target.boxID) keeps your password now; your PIN opens it.", .green)
                return .done
            }
        }

        private func keep(
            _ program: Program, _ target: BoxTarget, _ password: HeldSecret
        ) async throws(Complaint) -> ExitStatus {
            guard let box = target.candidates.first, target.candidates.count == 1 else {
                throw Complaint(
                    .usage, "several enrolled boxes show \(target.boxID); name one as boxphone boxes lists it")
            }
            var pin: HeldSecret?
            if try await program.trying({ (phone) throws(PhoneError) in try await phone.hasPIN() }) {
                pin = try await program.phonePIN(pinOptions.descriptor)
            }
            try await program.keep(password, for: box, pin: pin)
            program.console.say("This phone keeps your password for box \(box.digits) now.", .green)
            return .done
        }
    }
}
