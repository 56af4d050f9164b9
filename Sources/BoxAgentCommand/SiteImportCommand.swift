import ArgumentParser
import CommandTool
import ControlProtocol
import Glibc
import TextOutput

struct SiteImportCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a site's bundle from a file, at a box without a link.",
        discussion: """
            Root only. The file is a bundle, which `boxsite bundle` writes at the site's server. It contains the site \
            document, the revocations, their signed status, and certificates of boxes. The agent trusts only the \
            signatures, and refuses anything that is older than what it has. It imports a bundle as a whole or not at \
            all. Importing the same bundle again changes nothing, and the exit status is 0.
            The hours without the site count from when the bundle was made, not from the import, so import a new \
            bundle before they run out. The exit status is 65 if the bundle is refused because it is older, from \
            another site, or damaged.
            Examples:
              boxagent site import /media/stick/site.bundle
              ssh server boxsite bundle - | boxagent site import -
            """)

    @Argument(help: ArgumentHelp("The bundle, or - to read it from standard input.", valueName: "file"))
    var file: String
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    /// Time limit for the last part, after which the agent verifies and stores everything.
    private static let limit = Duration.seconds(60)

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        let source = try PartSource(file)
        var conversation = try Conversation(socket: agent.socket)
        var found: SiteImportListing?
        var part = try source.next()
        while true {
            let following = try source.next()
            let text = try conversation.ask(
                .importSite(part: part, isLast: following.isEmpty), within: Self.limit
            ) { reply in
                if case .siteImported(let listing) = reply { found = listing }
            }
            guard following.isEmpty else {
                part = following
                continue
            }
            guard let found else { throw CommandFailure(.malformed(.unknownMessage)) }
            if listing.json { return terminal.sayWhole(Self.json(found).line) }
            return terminal.say(text)
        }
    }

    static func json(_ listing: SiteImportListing) -> JSONValue {
        .record([
            ("changed", .flag(listing.isNews)), ("document_version", .text(listing.documentVersion)),
            ("generation", .text(listing.generation)), ("head_number", .number(orNull: listing.headNumber)),
            ("head_age_seconds", .number(orNull: listing.headAgeSeconds)),
            ("entries_added", .number(listing.entriesAdded)), ("new_certificate", .flag(listing.hasCertificate)),
            ("certificate_expiry", .text(Timestamp.universal(listing.certificateExpiry))),
            ("hours_left", .number(listing.hoursLeft)), ("hours_limit", .number(listing.hoursLimit)),
        ])
    }
}

/// Reads a file in parts that fit a request, whatever sizes read(2) returns.
private final class PartSource {
    private let path: String
    private let file: Int32

    /// Opens the file; `-` is standard input.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw Self.unusable(path, errno) }
    }

    deinit { if file != STDIN_FILENO { close(file) } }

    /// Returns the next part. All parts but the last are full; at the end, it returns an empty one.
    func next() throws(CommandFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ControlLimits.bundlePartBytes)
        var length = 0
        while length < bytes.count {
            // SAFETY: `length` is below the buffer's count, and the call writes at most the remaining bytes.
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress.map { $0 + length }, buffer.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unusable(path, errno) }
            guard count > 0 else { break }
            length += count
        }
        return [UInt8](bytes.prefix(length))
    }

    private static func unusable(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .invalid, "\(Printable.text(path)) cannot be read: \(String(cString: strerror(code)))",
            cure: "name the file that 'boxsite bundle' wrote")
    }
}
