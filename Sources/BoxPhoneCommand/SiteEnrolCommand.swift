import ArgumentParser
import PhoneCore
import PhoneKit
import PhoneMessages
import Secrets
import SecureChannel

extension SiteCommand {
    struct Enrol: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enrol this phone at a site with a code from its administrator, at any of the site's boxes.",
            discussion: """
                The code is the line that begins with "boxsite-enrol:" on the administrator's terminal. It is asked for on the \
                terminal, without being shown, or read from a file descriptor. Any box of the site carries it; name one by the \
                number on its screen if several sites' boxes are around. Compare the six digits that both sides show; the \
                administrator then confirms, and this phone logs in at every box that its access includes.
                """)

        @Argument(
            help: ArgumentHelp(
                "The number on the screen of a box. Without it any box of the site does.", valueName: "NUMBER"))
        var number: String?

        @Option(
            name: .customLong("fd"), help: ArgumentHelp("Read the code from file descriptor N.", valueName: "N"))
        var descriptor: Int32?

        @Option(help: "What the administrator's list calls this phone, if they do not. Default: boxphone@HOST.")
        var label: String?

        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func validate() throws {
            try refuseSharedDescriptors(("--fd", descriptor))
            if let label {
                guard LabelRules.isAllowed(Array(label.utf8)) else {
                    throw ValidationError("--label: at most 64 bytes of text without control characters")
                }
            }
            guard number.map({ $0.utf8.count == 6 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) ?? true else {
                throw ValidationError("a box of a site has six digits")
            }
        }

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let code = try await code(program)
                let text = Array((label ?? EnrolCommand.defaultLabel()).utf8)
                let site = try await program.trying { (phone) throws(PhoneError) in
                    try await phone.enrolAtSite(code, label: text, number: number, program.interaction())
                }
                program.console.say("This phone is of site \(site.name), for \(site.userText).", .green)
                program.console.say("Access until \(site.untilText), \(site.groupsText).")
                if !site.known.hasCredential {
                    program.console.note(
                        "Your password stays on this phone; store it with boxphone credentials set, or boxphone login NUMBER "
                            + "asks for it the first time.")
                }
                return .done
            }
        }

        private func code(_ program: Program) async throws(Complaint) -> SiteCode {
            let text: HeldSecret
            if let descriptor {
                text = HeldSecret(try SecretDescriptor.read(descriptor, option: "--fd"))
            } else {
                text = try await program.terminal.askSecret(
                    "Enrolment code (boxsite-enrol:…, not shown): ", otherwise: "give the code with --fd N")
            }
            do throws(SiteEnrolmentCodeError) {
                return try SiteCode(parsing: text.bytes)
            } catch {
                throw Complaint(.badInput, error.description)
            }
        }
    }
}
