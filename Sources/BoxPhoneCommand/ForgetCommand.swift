import ArgumentParser
import PhoneKit

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Destroy this phone's keys and password for a box.",
        discussion: "For a box that was stolen or is used no more. To use it again, enrol the phone again.")

    @Argument(help: ArgumentHelp("The box: as boxphone boxes lists it.", valueName: "BOX"))
    var name: String

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.trying { (phone) throws(PhoneError) in try await phone.target(name) }
            guard let box = target.candidates.first, target.candidates.count == 1 else {
                let names = target.candidates.map { $0.name(among: target.candidates) }
                throw Complaint(
                    .usage, "several enrolled boxes show \(target.boxID); name one: \(names.joined(separator: ", "))")
            }
            try await program.trying { (phone) throws(PhoneError) in try await phone.forget(box) }
            program.console.say("This phone has forgotten box \(box.digits).", .green)
            program.console.note("The box still lists this phone until its administrator revokes it there.")
            return .done
        }
    }
}
