import VaultPort
import ArgumentParser
import Glibc
import PhoneCore
import PhoneKit
import PhoneMessages
import Secrets
import SecureChannel

struct EnrolCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol", abstract: "Enrol this phone at a box, with the code from the administrator.",
        discussion: """
            The code is the line that begins with "boxlink:" on the administrator's terminal. boxphone reads it from \
            the terminal, without showing it, or from a file descriptor. Both sides show six digits, such as 123 456. \
            The administrator compares them and confirms. A code is valid for one try: if the connection is lost after \
            the request, ask for a new code.
            """, aliases: ["enroll"])

    @Option(
        name: .customLong("fd"), help: ArgumentHelp("Read the code from file descriptor N.", valueName: "N"))
    var descriptor: Int32?

    @Option(help: "The name of this phone in the administrator's list. Default: boxphone@HOST.")
    var label: String?

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func validate() throws {
        try refuseSharedDescriptors(("--fd", descriptor))
        if let label {
            guard LabelRules.isAllowed(Array(label.utf8)) else {
                throw ValidationError("--label takes at most 64 bytes of text without control characters")
            }
        }
    }

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let code = try await code(program)
            let text = Array((label ?? Self.defaultLabel()).utf8)
            let box = try await program.trying { (phone) throws(PhoneError) in
                try await phone.enrol(code, label: text, program.interaction())
            }
            program.console.say("This phone is enrolled at box \(box.digits), for \(box.userText).", .green)
            switch box.mode {
            case .phoneHeld:
                program.console.say("This phone will keep your password. The first boxphone login asks for it.")
            case .boxHeld, .siteHeld:
                program.console.say(
                    "The box keeps your password, behind a PIN. Store both with: boxphone credentials set")
            }
            return .done
        }
    }

    private func code(_ program: Program) async throws(Complaint) -> EnrolmentCode {
        let text: HeldSecret
        if let descriptor {
            text = HeldSecret(try SecretDescriptor.read(descriptor, option: "--fd"))
        } else {
            text = try await program.terminal.askSecret(
                "Enrolment code (boxlink:…, not shown): ", otherwise: "give the code with --fd N")
        }
        do throws(EnrolmentURIError) {
            return try EnrolmentCode(parsing: text.bytes)
        } catch {
            throw Complaint(.badInput, error.description)
        }
    }

    static func defaultLabel() -> String {
        var name = [CChar](repeating: 0, count: 65)
        // SAFETY: `gethostname` writes at most the given length, and the last element stays zero.
        let status = gethostname(&name, 64)
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let host = status == 0 ? String(decoding: bytes, as: UTF8.self) : "unknown"
        let label = "boxphone@" + host
        return LabelRules.isAllowed(Array(label.utf8)) ? label : "boxphone"
    }
}
