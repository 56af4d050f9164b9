import ArgumentParser
import Glibc
import PhoneCore
import PhoneKit

extension SiteCommand {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add or renew this phone's access to a site, with a text from its administrator.",
            discussion: """
                The text begins with "boxsite-grant:1/". boxphone reads it from FILE, from standard input if FILE is - \
                or standard input is not a terminal, or asks for it. It names the site, your user name, the expiry and \
                the groups of boxes. Then you can name every box of the site in these groups by the six digits on its \
                screen. Boxes also pass on grants that the site has renewed.
                The text is not secret. But accept it only from the administrator: anyone who changes it can make this \
                phone belong to another site.
                """)

        @Argument(help: ArgumentHelp("The file with the text, or - for standard input.", valueName: "FILE"))
        var file: String?

        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let text = try await text(program)
                let site = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.join(text) }
                program.console.say("This phone belongs to site \(site.name), for \(site.userText).", .green)
                program.console.say("Access until \(site.untilText), \(site.groupsText).")
                guard site.stoppedUntil == nil else { throw Complaint(.refused, PhoneError.siteStopped.description) }
                if let next = site.nextStep { program.console.note(next) }
                return .done
            }
        }

        private func text(_ program: Program) async throws(Complaint) -> [UInt8] {
            if let file, file != "-" {
                let descriptor = open(file, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    throw Complaint(.badInput, "\(file.escaped) cannot be read: \(String(cString: strerror(errno)))")
                }
                defer { close(descriptor) }
                return try Self.read(descriptor, file.escaped)
            }
            guard file == nil, Terminal.isInput else { return try Self.read(STDIN_FILENO, "standard input") }
            return Array(
                try await program.terminal.askChoice(
                    "Grant (boxsite-grant:1/…): ", otherwise: "give the grant on standard input"
                ).utf8)
        }

        /// Reads at most 8,192 bytes. A grant has fewer than 1,900 characters, so longer input is not valid.
        private static func read(_ descriptor: Int32, _ name: String) throws(Complaint) -> [UInt8] {
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while text.count <= buffer.count {
                // SAFETY: `read` writes at most the bytes that the buffer has.
                let got = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else {
                    throw Complaint(.badInput, "\(name) cannot be read: \(String(cString: strerror(errno)))")
                }
                guard got > 0 else { break }
                text += buffer.prefix(got)
            }
            return text
        }
    }
}
