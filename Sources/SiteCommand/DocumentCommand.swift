import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import SiteTrust
import TextOutput

struct DocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document", abstract: "Show or publish the site document, which lists who signs for the site.",
        subcommands: [DocumentShowCommand.self, DocumentPublishCommand.self])
}

struct DocumentShowCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the current site document, and on standard error what it lists.",
        discussion: """
            The text is not secret. Take it to the machine with the root's key, for boxsite root sign.
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
        if listing.json { return terminal.sayWhole(Self.json(facts, text).line) }
        terminal.sayWhole(Printable.text(text))
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
            Every server uses the document within a second, tells its boxes, and signs by it. It is refused if it \
            cannot follow the current one, for instance because another one was published in the meantime. Publishing \
            the same document again changes nothing; do so if you got no answer.
            Example:
              boxsite document publish next.document
            """)

    @Argument(
        help: ArgumentHelp("The output of boxsite root sign, or - for standard input.", valueName: "file"))
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
        commandName: "issuers", abstract: "Make keys with which the site's servers sign.",
        subcommands: [IssuersNewCommand.self])
}

struct IssuersNewCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make new issuer keys at this server, and print the request for the root.",
        discussion: """
            The keys go into a file of the server's state directory, issuers.key or issuers-2.key: the one without a \
            key of the current document. Copy it to the other servers before the document is published. The request is \
            not secret. Note the key ids on standard error, and compare them where the root signs. Until a document \
            lists the keys, the same command prints the request for the same keys again.
            Example:
              boxsite issuers new > new.issuers
            """)

    @Option(help: "How many days the keys are valid, 1 to 400.")
    var days: UInt64 = SiteControlLimits.issuerDays
    @Flag(help: "Delete keys that no document lists yet, and make new ones.")
    var replace = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard (1...SiteControlLimits.issuerDays).contains(days) else {
            throw SiteCommandFailure(.usage, "--days takes a whole number from 1 to \(SiteControlLimits.issuerDays)")
        }
        let found = Guarded(("", "", false))
        _ = try ServerConversation.ask(.newIssuers(days: days, replace: replace), at: server.socket) { reply, _ in
            if case .issuers(let request, let file, let areNew) = reply {
                found.withLock { $0 = (request, file, areNew) }
            }
        }
        let (text, file, areNew) = found.withLock { $0 }
        let request = try SiteTexts.request(Array(text.utf8))
        terminal.sayWhole(Printable.text(text))
        terminal.say(
            areNew
                ? "New keys are in \(Printable.text(file)) of the state directory. Copy it to the other servers."
                : "\(Printable.text(file)) already has new keys, which no document lists yet. The request is for them.",
            to: .error)
        for line in DocumentText.requested(request) { terminal.say(line, to: .error) }
    }
}
