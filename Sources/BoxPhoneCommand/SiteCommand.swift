import ArgumentParser
import PhoneCore
import PhoneKit

struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site", abstract: "Enrol once at a site, for all of its boxes.",
        discussion: """
            If you have a code from the site's administrator, run `boxphone site enrol` at any box of the site. If no \
            box is near, give the administrator the line that `boxphone site key` prints, and pass what you get back \
            to `boxphone site add`. Then `boxphone login NUMBER` logs you in at every box that your access includes. \
            NUMBER is the six digits on its screen.
            """,
        subcommands: [Enrol.self, Key.self, Add.self, List.self, Forget.self])

    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print this phone's key, for a site's administrator.",
            discussion: """
                Prints one line that begins with "boxsite-phone:1/"; it is not secret. The key is made once and waits \
                for the site's answer. If this phone already belongs to a site, the command prints its key there, to \
                renew its access.
                """)

        @OptionGroup var site: SiteArgument

        @Flag(help: "Make a key for another site.")
        var new = false

        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func validate() throws {
            guard !new || site.name == nil else { throw ValidationError("use either --new or SITE") }
        }

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let sites = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.all() }
                if new || sites.isEmpty {
                    let code = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.newCode()
                    }
                    program.console.sayWhole(code)
                } else {
                    program.console.say(
                        try await program.trying { (phone) throws(PhoneError) in try await phone.sites.named(site.name)
                        }
                        .phoneCode)
                }
                program.console.note(
                    "Give this line to the site's administrator. Pass what you get back to: boxphone site add")
                return .done
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the sites that this phone belongs to.")

        @OptionGroup var listing: ListingOptions

        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let sites = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.all() }
                for site in sites {
                    if listing.json { program.console.sayWhole(site.json.line) } else { program.console.say(site.line) }
                }
                if sites.isEmpty, !listing.json { program.console.note(SiteProblem.noSites.description) }
                return .done
            }
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Destroy this phone's key, access and password for a site.",
            discussion: """
                The command shows what it will destroy, and asks. To use the site again, start again with `boxphone \
                site enrol`.
                """)

        @OptionGroup var site: SiteArgument

        @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
        var yes = false

        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let found: SiteAccess
                do throws(PhoneError) {
                    found = try await program.phone.sites.named(site.name)
                } catch {
                    throw Complaint(error.isUnknownSite ? .negative : error.exitStatus, "\(error); nothing was changed")
                }
                for line in found.plan { program.console.note(line) }
                if !yes { try await program.confirm("Forget this site? [y/N] ") }
                try await program.trying { (phone) throws(PhoneError) in try await phone.sites.forget(found) }
                program.console.say("This phone has forgotten site \(found.name).", .green)
                program.console.note("The site lists this phone until its administrator revokes it.")
                return .done
            }
        }
    }
}

/// The site that a command is for.
struct SiteArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The site, as in `boxphone site list`. Not needed if there is one site.", valueName: "SITE"))
    var name: String?
}

extension PhoneError {
    fileprivate var isUnknownSite: Bool {
        switch self {
        case .site(.noSites), .site(.unknownSite): true
        default: false
        }
    }
}
