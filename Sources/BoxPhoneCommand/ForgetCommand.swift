import VaultPort
import ArgumentParser
import PhoneCore
import PhoneKit
import Vault

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Destroy this phone's keys and password for a box.",
        discussion: """
            For a box that was stolen or is no longer used. The command shows what it will destroy, and asks. The \
            administrator has to revoke the phone at the box as well. To use the box again, enrol the phone again.
            Example:
              boxphone forget 4711
            """)

    @Argument(help: ArgumentHelp("The box, as in `boxphone boxes`.", valueName: "BOX"))
    var name: String

    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
    var yes = false

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let box = try await found(program)
            for line in Self.plan(box) { program.console.note(line) }
            if !yes { try await program.confirm("Forget this box? [y/N] ") }
            try await program.trying { (phone) throws(PhoneError) in try await phone.forget(box) }
            program.console.say("This phone has forgotten box \(box.digits).", .green)
            program.console.note("The box lists this phone until its administrator revokes it.")
            return .done
        }
    }

    /// Finds the one box that is meant.
    private func found(_ program: Program) async throws(Complaint) -> KnownBox {
        let boxes = try await program.trying { (phone) throws(PhoneError) in try await phone.boxes() }
        let target: BoxTarget
        do throws(PhoneError) {
            target = try await program.phone.target(name)
        } catch {
            throw Complaint(error.isNotFound ? .negative : error.exitStatus, "\(error); nothing was changed")
        }
        guard let box = target.candidates.first, target.candidates.count == 1 else {
            let names = target.candidates.map { $0.name(among: boxes) }
            throw Complaint(
                .usage,
                "several enrolled boxes have the box ID \(target.boxID), so nothing was changed; name one of: "
                    + names.joined(separator: ", "))
        }
        return box
    }

    /// Lists exactly what will be destroyed.
    static func plan(_ box: KnownBox) -> [String] {
        let password =
            switch box.mode {
            case .phoneHeld where box.hasCredential: "and the password that it keeps for this box"
            case .boxHeld where box.hasDeviceSecret: "and its half of the key to the password that the box keeps"
            case .phoneHeld, .boxHeld, .siteHeld: "the only data that it keeps for this box"
            }
        return [
            "This phone will destroy its keys for this box for good, \(password):",
            "  box    \(box.digits)-\(box.fingerprint)",
            "  user   \(box.userText)",
            "  label  \(box.labelText)",
        ]
    }
}

extension PhoneError {
    fileprivate var isNotFound: Bool {
        switch self {
        case .noBoxes, .unknownBox: true
        default: false
        }
    }
}

extension Program {
    /// Throws unless the user answers yes.
    func confirm(_ question: String) async throws(Complaint) {
        guard Terminal.isInput else {
            throw Complaint(
                .usage,
                "cannot ask for confirmation: standard input is not a terminal, so nothing was changed; add --yes")
        }
        let answer = try await terminal.askChoice(question, otherwise: "add --yes")
        guard ["y", "yes"].contains(answer.lowercased()) else { throw Complaint(.negative, "nothing was changed") }
    }
}
