import ArgumentParser
import CommandTool
import EventLoop
import Glibc
import SiteControl
import SiteLink
import SiteTrust
import TextOutput

struct BundleCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle", abstract: "Write what the site has signed to a file, for boxes that are cut off.",
        discussion: """
            The site document, all that was taken back, the head over it, and new certificates of boxes: of all, of one group, \
            or of one. A box takes it with `boxagent site import`. Nothing in it is secret, but it says which boxes there are. \
            It is good for as long as a box may be without the site, counted from now.

            Examples:
              boxsite bundle /media/stick/site.bundle
              boxsite bundle --group 7 ward3.bundle
              boxsite bundle --box ward3-1 - | ssh ward3-1 boxagent site import -
            """)

    @Argument(
        help: ArgumentHelp("The file, which is replaced as a whole; - writes to standard output.", valueName: "file"))
    var file: String
    @Option(help: ArgumentHelp("Put in a certificate of this box alone.", valueName: "name"))
    var box: String?
    @Option(help: ArgumentHelp("Put in certificates of this group's boxes alone.", valueName: "number"))
    var group: UInt16?
    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard box == nil || group == nil else { throw ValidationError("--box and --group do not go together") }
        guard group != 0 else { throw ValidationError("--group takes 1 to 65535") }
        guard file != "-" || !listing.json else {
            throw ValidationError("--json needs a file: the bundle goes to standard output")
        }
    }

    func perform(_ terminal: Terminal) throws {
        let found = Guarded(Collected())
        _ = try ServerConversation.ask(.bundle(box: box, group: group.map { UInt64($0) }), at: server.socket) {
            reply, _ in
            if case .bundlePart(let part) = reply { found.withLock { $0.add(part) } }
        }
        let bundle = found.withLock { $0 }
        guard let head = try bundle.whole() else {
            throw SiteCommandFailure(.protocolMismatch, "the server sent no whole bundle; update boxsite or boxsited")
        }
        if file == "-" {
            try FileWriter.write(bundle.bytes, to: STDOUT_FILENO, named: "standard output")
        } else {
            try FileWriter.replace(file, with: bundle.bytes)
        }
        if listing.json { return terminal.say(Self.json(bundle, head, file).line) }
        terminal.say(
            "\(Printable.text(file)): head \(head.number) of \(Timestamp.local(head.time)), "
                + "\(bundle.entries) entries, certificates of \(bundle.certificates) boxes", to: .error)
    }

    private static func json(_ bundle: Collected, _ head: HeadFacts, _ file: String) -> JSONValue {
        .record([
            ("file", .text(file)), ("bytes", .number(bundle.bytes.count)),
            ("document_version", .text(head.document.text)),
            ("head_number", .number(head.number)), ("head_time", .text(Timestamp.universal(head.time))),
            ("entries", .number(bundle.entries)), ("certificates", .number(bundle.certificates)),
        ])
    }

    /// What has come of a bundle.
    private struct Collected: Sendable {
        var bytes: [UInt8] = []
        var entries = 0
        var certificates = 0
        private var reader = SiteBundleReader()
        private var head: HeadFacts?
        private var problem: SiteBundleError?

        mutating func add(_ part: [UInt8]) {
            guard problem == nil else { return }
            do throws(SiteBundleError) {
                for message in try reader.add(part) {
                    switch message {
                    case .certificate: certificates += 1
                    case .entries(let batch): entries += batch.count
                    case .head(let claimed): head = claimed.facts
                    default: break
                    }
                }
                bytes += part
            } catch {
                problem = error
            }
        }

        /// The facts of its head; nil where it is not whole.
        func whole() throws -> HeadFacts? {
            if let problem { throw SiteCommandFailure(.fault, "what the server sent \(problem)") }
            return head
        }
    }
}
