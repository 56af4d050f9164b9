import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import SiteTrust
import TextOutput

struct DocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document", abstract: "The site document: who signs for the site.",
        subcommands: [DocumentShowCommand.self, DocumentPublishCommand.self])
}

struct DocumentShowCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the present site document, and say on standard error what it lists.",
        discussion: """
            The text is not secret. It goes to where the root's key is: boxsite root sign.

            Example:
              boxsite document show > site.document
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded("")
        _ = try ServerConversation.ask(.document, at: server.socket) { reply, _ in
            if case .document(let text) = reply { found.withLock { $0 = text } }
        }
        let text = found.withLock { $0 }
        let facts = try SiteTexts.document(Array(text.utf8)).facts
        if listing.json { return terminal.say(Self.json(facts, text).line) }
        terminal.say(Printable.text(text))
        for line in DocumentText.lines(facts) { terminal.say(line, to: .error) }
    }

    private static func json(_ facts: SiteDocumentFacts, _ text: String) -> JSONValue {
        .record([
            ("site", .text(Hex.text(facts.site.bytes))), ("version", .number(facts.version.value)),
            ("generation", .number(facts.generation.value)),
            (
                "issuers",
                .list(
                    facts.issuers.map {
                        .record([
                            ("role", .text("\($0.role)")), ("id", .text($0.keyID.text)),
                            ("key", .text(Hex.text($0.key))), ("until", .number($0.expiry)),
                        ])
                    })
            ),
            ("text", .text(text)),
        ])
    }
}

struct DocumentPublishCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish a document that the root has signed.",
        discussion: """
            Every server takes it within a second, tells its boxes, and signs by it. It is refused where it cannot follow \
            the present one: as another one was published meanwhile, for instance. Publishing the same one again changes \
            nothing; do so where no answer came.

            Example:
              boxsite document publish next.document
            """)

    @Argument(
        help: ArgumentHelp("What boxsite root sign has printed; - reads it from standard input.", valueName: "file"))
    var file: String
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let text = try TextFile.read(file)
        let facts = try SiteTexts.document(text).facts
        let trimmed = SiteDocumentCode(try SiteTexts.document(text)).text
        for line in DocumentText.lines(facts) { terminal.say(line, to: .error) }
        terminal.say(
            try ServerConversation.ask(
                .publish(document: String(decoding: trimmed, as: UTF8.self)), at: server.socket))
    }
}

struct IssuersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuers", abstract: "The keys with which the site's servers sign.",
        subcommands: [IssuersNewCommand.self])
}

struct IssuersNewCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make new issuer keys at this server, and print what the root is asked to sign.",
        discussion: """
            The keys go into a file of the server's state directory, issuers.key or issuers-2.key: the one that no key of \
            the present document is in. Copy it to the other servers before the document is published. The request is not \
            secret; note the key ids on standard error, and compare them where the root signs. The same command again \
            prints the request for the same keys, until a document lists them.

            Example:
              boxsite issuers new > new.issuers
            """)

    @Option(help: "For how many days the keys are to be good, 1 to 400.")
    var days: UInt64 = SiteControlLimits.issuerDays
    @Flag(help: "Throw away keys that wait to be listed, and make others.")
    var replace = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard (1...SiteControlLimits.issuerDays).contains(days) else {
            throw SiteCommandFailure(.usage, "--days takes 1 to \(SiteControlLimits.issuerDays)")
        }
        let found = Guarded(("", "", false))
        _ = try ServerConversation.ask(.newIssuers(days: days, replace: replace), at: server.socket) { reply, _ in
            if case .issuers(let request, let file, let areNew) = reply {
                found.withLock { $0 = (request, file, areNew) }
            }
        }
        let (text, file, areNew) = found.withLock { $0 }
        let request = try SiteTexts.request(Array(text.utf8))
        terminal.say(Printable.text(text))
        terminal.say(
            areNew
                ? "New keys are in \(Printable.text(file)) of the state directory; copy it to the other servers."
                : "\(Printable.text(file)) has new keys already, which no document lists yet; this is their request.",
            to: .error)
        for line in DocumentText.requested(request) { terminal.say(line, to: .error) }
    }
}
