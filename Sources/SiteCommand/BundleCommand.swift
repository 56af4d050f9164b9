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
        commandName: "bundle",
        abstract: "Write a bundle of the site's signed data to a file, for boxes without a link.",
        discussion: """
            The bundle has the site document, all revocations, their signed status, and new certificates of all boxes, \
            of one group or of one box. A box imports it with `boxagent site import`. It is not secret, but it names \
            the site's boxes. It is valid as long as a box may be without the site, counted from now.
            Examples:
              boxsite bundle /media/stick/site.bundle
              boxsite bundle --group 7 ward3.bundle
              boxsite bundle --box ward3-1 - | ssh ward3-1 boxagent site import -
            """)

    @Argument(
        help: ArgumentHelp("The file, which is replaced, or - for standard output.", valueName: "file"))
    var file: String
    @Option(help: ArgumentHelp("Include only the certificate of this box.", valueName: "name"))
    var box: String?
    @Option(help: ArgumentHelp("Include only certificates of this group's boxes.", valueName: "number"))
    var group: UInt16?
    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard box == nil || group == nil else { throw ValidationError("use either --box or --group") }
        guard group != 0 else { throw ValidationError("--group takes a whole number from 1 to 65535") }
        guard file != "-" || !listing.json else {
            throw ValidationError("--json needs a file, because the bundle goes to standard output")
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
            throw SiteCommandFailure(
                .protocolMismatch,
                "boxsited sent an incomplete bundle; after an upgrade, restart it: systemctl restart boxsited"
            )
        }
        if file == "-" {
            try FileWriter.write(bundle.bytes, to: STDOUT_FILENO, named: "standard output")
        } else {
            try FileWriter.replace(file, with: bundle.bytes)
        }
        if listing.json { return terminal.sayWhole(Self.json(bundle, head, file).line) }
        terminal.say(
            "\(Printable.text(file)): signed status \(head.number) of \(Timestamp.local(head.time)), "
                + Plural.text(bundle.entries, "entry", "entries") + ", certificates of "
                + Plural.text(bundle.certificates, "box", "boxes"), to: .error)
    }

    private static func json(_ bundle: Collected, _ head: HeadFacts, _ file: String) -> JSONValue {
        .record([
            ("file", .text(file)), ("bytes", .number(bundle.bytes.count)),
            ("document_version", .text(head.document.text)),
            ("head_number", .number(head.number)), ("head_time", .text(Timestamp.universal(head.time))),
            ("entries", .number(bundle.entries)), ("certificates", .number(bundle.certificates)),
        ])
    }

    /// The parts of a bundle that have arrived.
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

        /// Returns the facts of the bundle's signed status, or nil if the bundle is incomplete.
        func whole() throws -> HeadFacts? {
            if let problem { throw SiteCommandFailure(.fault, "the server's bundle \(problem)") }
            return head
        }
    }
}
