import ArgumentParser
import CommandTool
import SiteSetup
import SiteTrust
import TextOutput

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root", abstract: "Sign a new site document, on any machine, without a server or a network.",
        subcommands: [RootSignCommand.self, RootSucceedCommand.self])
}

/// The changes to the document, for both `boxsite root` commands.
struct RootOrderOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The current site document, as boxsite document show prints it.", valueName: "file"))
    var document: String
    @Argument(help: ArgumentHelp("New issuers, as boxsite issuers new prints them.", valueName: "request-file"))
    var request: String?
    @Option(
        help: ArgumentHelp(
            "Drop this issuer at once, because its key was stolen. A key id or its start. May be repeated.",
            valueName: "keyid"))
    var drop: [String] = []
    @Option(
        help: ArgumentHelp(
            "Keep this issuer, although it has expired. A key id or its start. May be repeated.", valueName: "keyid"))
    var keep: [String] = []
    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
    var yes = false

    func order() throws -> SiteDocumentOrder {
        var order = SiteDocumentOrder()
        order.request = try request.map { try SiteTexts.request(TextFile.read($0)) }
        order.dropped = drop
        order.kept = keep
        return order
    }

    func present() throws -> ClaimedSiteDocument { try SiteTexts.document(TextFile.read(document)) }

    /// Shows the changes, and asks whether to sign them.
    func confirm(_ old: SiteDocumentFacts, _ draft: SiteDocumentDraft, _ terminal: Terminal) throws {
        for line in DocumentText.changes(from: old, draft) { terminal.say(line, to: .error) }
        if yes { return }
        guard terminal.inputIsTerminal else {
            throw SiteCommandFailure(
                .usage, "cannot ask for confirmation: standard input is not a terminal; add --yes")
        }
        guard terminal.confirm("Sign this document?") else {
            throw SiteCommandFailure(.negative, "nothing was signed")
        }
    }
}

struct RootSignCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign the next site document with the site's root key.",
        discussion: """
            The new document lists the issuers of the current document and of the request, without those that have \
            expired or that you drop. Compare the key ids of new issuers with those that boxsite issuers new showed \
            at the server. Standard output has the new document. It takes effect when you publish it at a server: \
            boxsite document publish.
            A new generation resets revocations, numbers and time. It invalidates what a server with a wrong clock has \
            signed.
            Examples:
              boxsite root sign --root-key root.key --document site.document new.issuers > next.document
              boxsite root sign --root-key root.key --document site.document --drop 3fa9c0 new.issuers > next.document
              boxsite root sign --root-key root.key --document site.document --generation > next.document
            """)

    @Option(help: ArgumentHelp("The file with the site's root key. Only you may have access to it.", valueName: "file"))
    var rootKey: String
    @OptionGroup var change: RootOrderOptions
    @Flag(help: "Start a new generation.")
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
        commandName: "succeed", abstract: "Replace the root by the next root, if the root's key is lost or stolen.",
        discussion: """
            Signs the first document of the next root, which overrides everything that the old root has signed. It \
            names a new next root and writes its key to a new file. What the old root signs from then on is not valid \
            anywhere. A new generation starts with it.
            Example:
              boxsite root succeed --next-root-key next-root.key --new-next-root /media/three/next-root.key \\
                --document site.document new.issuers > next.document
            """)

    @Option(help: ArgumentHelp("The file with the next root key, which becomes the root key.", valueName: "file"))
    var nextRootKey: String
    @Option(help: ArgumentHelp("A new file for the key of the new next root.", valueName: "file"))
    var newNextRoot: String
    @OptionGroup var change: RootOrderOptions

    func perform(_ terminal: Terminal) throws {
        let document = try change.present()
        let order = try change.order()
        try SiteTexts.reading {
            () throws(RootSigningError) in
            let signing = try RootSigning(nextRoot: nextRootKey, document)
            // Any key will do to show the changes. No file is made before the user has agreed.
            return (signing, try signing.succession(order, next: []))
        } then: { signing, draft in
            try change.confirm(signing.old, draft, terminal)
            try SiteTexts.reading {
                () throws(RootSigningError) in
                let made = try signing.makeNextRoot(at: newNextRoot)
                return (made, try signing.succession(order, next: made.key))
            } then: { made, draft in
                let words =
                    made.isNew
                    ? "has the key of the new next root" : "already existed, and its key is the new next root"
                terminal.say("\(Printable.text(newNextRoot)) \(words).", to: .error)
                try SiteTexts.say(signing, draft, terminal)
            }
        }
    }
}
