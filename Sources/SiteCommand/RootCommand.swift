import ArgumentParser
import CommandTool
import SiteServer
import SiteTrust
import TextOutput

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root", abstract: "Sign a new site document. Works elsewhere, without a server or a network.",
        subcommands: [RootSignCommand.self, RootSucceedCommand.self])
}

/// What is to be changed, for both commands.
struct RootOrderOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The present site document: what boxsite document show prints.", valueName: "file"))
    var document: String
    @Argument(help: ArgumentHelp("New issuers: what boxsite issuers new prints.", valueName: "request-file"))
    var request: String?
    @Option(
        help: ArgumentHelp(
            "Drop this issuer, at once: its key was stolen. A key id or a beginning; may be repeated.",
            valueName: "keyid"))
    var drop: [String] = []
    @Option(
        help: ArgumentHelp(
            "Keep this issuer, though its time is over. A key id or a beginning; may be repeated.", valueName: "keyid"))
    var keep: [String] = []
    @Flag(name: [.short, .long], help: "Do not ask. Needed where standard input is no terminal.")
    var yes = false

    func order() throws -> SiteDocumentOrder {
        var order = SiteDocumentOrder()
        order.request = try request.map { try SiteTexts.request(TextFile.read($0)) }
        order.dropped = drop
        order.kept = keep
        return order
    }

    func present() throws -> ClaimedSiteDocument { try SiteTexts.document(TextFile.read(document)) }

    /// Shows what is to be signed, and asks.
    func confirm(_ old: SiteDocumentFacts, _ draft: SiteDocumentDraft, _ terminal: Terminal) throws {
        for line in DocumentText.changes(from: old, draft) { terminal.say(line, to: .error) }
        if yes { return }
        guard terminal.inputIsTerminal else {
            throw SiteCommandFailure(.usage, "standard input is no terminal, so nobody can be asked; add --yes")
        }
        guard terminal.confirm("Sign this document?") else {
            throw SiteCommandFailure(.negative, "nothing was signed")
        }
    }
}

struct RootSignCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign the next site document, with the root's key.",
        discussion: """
            It lists what the present document lists, and the issuers of the request; an issuer whose time is over is left \
            out, and so is one that is dropped. Compare the key ids of new issuers with those that boxsite issuers new has \
            shown at the server. The new document goes to standard output, and takes effect once it is published there: \
            boxsite document publish.

            A new generation resets revocations, numbers and time: it ends what a server has signed whose clock was wrong.

            Examples:
              boxsite root sign --root-key root.key --document site.document new.issuers > next.document
              boxsite root sign --root-key root.key --document site.document --drop 3fa9c0 new.issuers > next.document
              boxsite root sign --root-key root.key --document site.document --generation > next.document
            """)

    @Option(help: ArgumentHelp("The root's key: a file that nobody else can use.", valueName: "file"))
    var rootKey: String
    @OptionGroup var change: RootOrderOptions
    @Flag(help: "Begin a new generation.")
    var generation = false

    func perform(_ terminal: Terminal) throws {
        let document = try change.present()
        var order = try change.order()
        order.beginsGeneration = generation
        try SiteTexts.reading {
            () throws(RootSigningError) in
            let signing = try RootSigning(root: rootKey, document)
            return (signing, try signing.draft(order))
        } then: { signing, draft in
            try change.confirm(signing.old, draft, terminal)
            try SiteTexts.say(signing, draft, terminal)
        }
    }
}

struct RootSucceedCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "succeed", abstract: "Let the next root take over: the root's key is lost or stolen.",
        discussion: """
            It signs the first document of the next root, which is above everything that the root before has signed, and \
            names a new next root, whose key is written to a new file. What the root before signs from then on counts \
            nowhere. A new generation begins with it.

            Example:
              boxsite root succeed --next-root-key next-root.key --new-next-root /media/three/next-root.key \\
                --document site.document new.issuers > next.document
            """)

    @Option(help: ArgumentHelp("The next root's key: it is the root's from then on.", valueName: "file"))
    var nextRootKey: String
    @Option(help: ArgumentHelp("A new file for the key of the root after it.", valueName: "file"))
    var newNextRoot: String
    @OptionGroup var change: RootOrderOptions

    func perform(_ terminal: Terminal) throws {
        let document = try change.present()
        let order = try change.order()
        try SiteTexts.reading {
            () throws(RootSigningError) in
            let signing = try RootSigning(nextRoot: nextRootKey, document)
            // Any key will do to see what changes: no file is made before somebody has agreed.
            return (signing, try signing.succession(order, next: []))
        } then: { signing, draft in
            try change.confirm(signing.old, draft, terminal)
            try SiteTexts.reading {
                () throws(RootSigningError) in
                let made = try signing.makeNextRoot(at: newNextRoot)
                return (made, try signing.succession(order, next: made.key))
            } then: { made, draft in
                let words =
                    made.isNew ? "has the key of the new next root" : "was there, and its key is the new next root"
                terminal.say("\(Printable.text(newNextRoot)) \(words).", to: .error)
                try SiteTexts.say(signing, draft, terminal)
            }
        }
    }
}
