import ArgumentParser
import PhoneCore
import PhoneKit
import PhoneMessages
import Secrets
import SecureChannel

extension SiteCommand {
    struct Enrol: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enrol this phone at a site: at any of its boxes, with a code from its administrator.",
            discussion: """
                The code is the line that begins with "boxsite-enrol:" on the administrator's terminal. boxphone reads \
                it from the terminal, without showing it, or from a file descriptor. Any box of the site can carry it. \
                If boxes of several sites are near, name one by the six digits on its screen. Both sides then show six \
                digits. The administrator compares them and confirms, and this phone can log you in at every box that \
                its access includes.
                """, aliases: ["enroll"])

        @Argument(
            help: ArgumentHelp(
                "The six digits on the screen of a box. The default is any box of the site.", valueName: "NUMBER"))
        var number: String?

        @Option(
            name: .customLong("fd"), help: ArgumentHelp("Read the code from file descriptor N.", valueName: "N"))
        var descriptor: Int32?

        @Option(
            help: """
                The phone's name in the administrator's list, unless the administrator sets another. Default: \
                boxphone@HOST.
                """)
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
            guard number.map({ $0.utf8.count == 6 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) ?? true else {
                throw ValidationError("the number of a site's box must be six digits")
            }
        }

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let code = try await code(program)
                let text = Array((label ?? EnrolCommand.defaultLabel()).utf8)
                let site = try await program.trying { (phone) throws(PhoneError) in
                    try await phone.enrolAtSite(code, label: text, number: number, program.interaction())
                }
                program.console.say("This phone belongs to site \(site.name), for \(site.userText).", .green)
                program.console.say("Access until \(site.untilText), \(site.groupsText).")
                if let next = site.nextStep { program.console.note(next) }
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
