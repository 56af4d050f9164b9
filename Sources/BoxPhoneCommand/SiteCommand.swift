import ArgumentParser
import PhoneCore
import PhoneKit

struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site", abstract: "Be enrolled at a site once, for all of its boxes.",
        discussion: """
            With a code from the site's administrator, at any box of the site: `boxphone site enrol`. Where no box is near: \
            give the administrator the line that `boxphone site key` prints, and `boxphone site add` what you get back. Then \
            `boxphone login NUMBER` logs you in at every box of the site that your access includes, by the six digits on \
            its screen.
            """,
        subcommands: [Enrol.self, Key.self, Add.self, List.self, Forget.self])

    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print this phone's key, for a site's administrator.",
            discussion: """
                One line that begins with "boxsite-phone:1/"; it is not secret. The key is made once, and waits for \
                the site's answer. For a phone that is of a site already it is the key there, to renew its access.
                """)

        @OptionGroup var site: SiteArgument

        @Flag(help: "A key for another site than those that this phone is of.")
        var new = false

        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func validate() throws {
            guard !new || site.name == nil else { throw ValidationError("--new is for no SITE that there is already") }
        }

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let sites = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.all() }
                if new || sites.isEmpty {
                    let code = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.newCode()
                    }
                    program.console.say(code)
                } else {
                    program.console.say(
                        try await program.trying { (phone) throws(PhoneError) in try await phone.sites.named(site.name)
                        }
                        .phoneCode)
                }
                program.console.note(
                    "Give this line to the site's administrator, and what you get back to: boxphone site add")
                return .done
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the sites that this phone is of.")

        @OptionGroup var listing: ListingOptions

        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                let sites = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.all() }
                for site in sites { program.console.say(listing.json ? site.json.line : site.line) }
                if sites.isEmpty, !listing.json { program.console.note(SiteProblem.noSites.description) }
                return .done
            }
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Destroy this phone's key, access and password for a site.",
            discussion: """
                It says what goes, and asks. To use the site again, begin anew with `boxphone site key`.
                """)

        @OptionGroup var site: SiteArgument

        @Flag(name: [.short, .long], help: "Do not ask. Needed where standard input is no terminal.")
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
                program.console.note("The site still lists this phone until its administrator takes it back there.")
                return .done
            }
        }
    }
}

/// Which site a command is for.
struct SiteArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The site, as `boxphone site list` has it. Not needed with one site.", valueName: "SITE"))
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
