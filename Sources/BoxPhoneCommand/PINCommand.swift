import ArgumentParser
import PhoneCore
import PhoneKit
import PhoneMessages
import Secrets
import Vault

struct PINCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Set, change or remove the PIN that opens stored passwords.",
        discussion: """
            This phone's own PIN opens the passwords that it keeps itself. A box that keeps your password has its own \
            PIN: `credentials set` chooses it, and `pin change BOX` changes it.
            Too many wrong PINs in a row destroy what they protect: \(PhoneVault.attemptPolicy.limit) on this phone, \
            and on a box as many as its administrator has set, at most \(PINRules.attempts). On this phone the limit \
            protects only against people who use boxphone: without a hardware key store, anyone with a copy of its \
            files can try again.
            """,
        subcommands: [Set.self, Change.self, Remove.self])

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give this phone a PIN.")

        @OptionGroup var newPINOptions: NewPINOptions
        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                guard try await !program.hasPIN() else {
                    throw Complaint(.usage, "this phone already has a PIN; change it with: boxphone pin change")
                }
                let new = try await program.newPIN(newPINOptions.descriptor, option: "--new-pin-fd")
                return try await program.changePIN(old: nil, new: new, done: "This phone has a PIN now.")
            }
        }
    }

    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change this phone's PIN, or the PIN for a box that keeps your password.")

        @OptionGroup var box: BoxArgument
        @OptionGroup var pinOptions: PINOptions
        @OptionGroup var newPINOptions: NewPINOptions
        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func validate() throws {
            try refuseSharedDescriptors(
                ("--pin-fd", pinOptions.descriptor), ("--new-pin-fd", newPINOptions.descriptor))
        }

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                guard let named = try await boxHeldTarget(program) else {
                    guard try await program.hasPIN() else {
                        throw Complaint(.usage, "this phone has no PIN; set one with: boxphone pin set")
                    }
                    let old = try await program.phonePIN(pinOptions.descriptor)
                    let new = try await program.newPIN(newPINOptions.descriptor, option: "--new-pin-fd")
                    return try await program.changePIN(old: old, new: new, done: "The PIN of this phone was changed.")
                }
                let target = try await program.chosen(named)
                let old = try await program.boxPIN(pinOptions.descriptor, target)
                let new = try await program.newPIN(newPINOptions.descriptor, option: "--new-pin-fd")
                let outcome = try await program.trying { (phone) throws(PhoneError) in
                    try await phone.changeBoxPIN(target, old: old, new: new, program.interaction())
                }
                try program.conclude(outcome, target)
                program.console.say("The PIN for box \(target.boxID) was changed.", .green)
                return .done
            }
        }

        /// Returns the box whose PIN is meant, or nil for this phone's own PIN.
        private func boxHeldTarget(_ program: Program) async throws(Complaint) -> BoxTarget? {
            if box.name == nil {
                let boxes = try await program.trying { (phone) throws(PhoneError) in try await phone.boxes() }
                let hasOwn = try await program.hasPIN()
                guard !hasOwn, !boxes.isEmpty, boxes.allSatisfy({ $0.mode == .boxHeld }) else { return nil }
            }
            let target = try await program.target(box)
            return target.candidates.contains { $0.mode != .phoneHeld } ? target : nil
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove this phone's PIN.")

        @OptionGroup var pinOptions: PINOptions
        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                guard try await program.hasPIN() else {
                    throw Complaint(.usage, "this phone has no PIN")
                }
                let old = try await program.phonePIN(pinOptions.descriptor)
                return try await program.changePIN(
                    old: old, new: nil,
                    done: "This phone has no PIN now. Anyone who uses it can log in with the passwords it keeps.")
            }
        }
    }
}

extension Program {
    fileprivate func hasPIN() async throws(Complaint) -> Bool {
        try await trying { (phone) throws(PhoneError) in try await phone.hasPIN() }
    }

    fileprivate func changePIN(
        old: HeldSecret?, new: HeldSecret?, done: String
    ) async throws(Complaint) -> ExitStatus {
        let outcome = try await trying { (phone) throws(PhoneError) in
            try await phone.changePhonePIN(old: old, new: new)
        }
        switch outcome {
        case .done:
            console.say(done, .green)
            if new != nil { console.note(Sentences.noHardwareKeyStore, .dim) }
            return .done
        case .pinNeeded: throw Complaint(.pinWrong, "this phone has a PIN; give it with --pin-fd N")
        case .pinWrong(let left): throw Complaint(.pinWrong, Sentences.pinWrong(left: left))
        case .wiped: throw Complaint(.wiped, Sentences.phoneWiped)
        }
    }
}
