import ArgumentParser
import CommandTool
import ConfigurationFile
import EventLoop
import Glibc
import SiteSetup
import SiteStore
import TextOutput

struct InitCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a new site: its root, its keys and its tables.",
        discussion: """
            Run it once, as the user of boxsited(8). It makes the site's keys in the state directory, its tables and \
            its first document in the database, and writes root.key and next-root.key into the root directory. Take \
            both off this machine, to two places. Anyone who has the first can replace every other key of the site; \
            the second ends a theft of the first. They cannot be made again.
            Existing files are not replaced. If something goes wrong, the command deletes what it has written.
            Example:
              boxsite init --root-directory /media/usb
            """)

    @Option(help: ArgumentHelp("The server's configuration.", valueName: "file"))
    var config: String = SiteConfiguration.defaultPath

    @Option(help: ArgumentHelp("A directory for the two root keys.", valueName: "directory"))
    var rootDirectory: String

    func perform(_ terminal: Terminal) throws {
        let configuration: SiteConfiguration
        do throws(ConfigurationError) {
            configuration = try SiteConfiguration.load(path: config)
        } catch {
            throw SiteCommandFailure(.configuration, "the configuration is refused\n\(error)")
        }
        let directory = rootDirectory
        let outcome = Guarded<Result<String, SiteCommandFailure>>(.failure(SiteCommandFailure(.fault, "not started")))
        _ = EpollLoop.runMain { loop in
            do {
                let founding = SiteFounding(configuration, rootDirectory: directory, on: loop)
                let site = try await founding.run(by: SiteStore.Actor("uid \(geteuid())"))
                outcome.withLock { $0 = .success(Hex.text(site.bytes)) }
            } catch {
                outcome.withLock { $0 = .failure(SiteCommandFailure(.fault, "no site was made: \(error)")) }
            }
            return 0
        }
        let site = try outcome.withLock { $0 }.get()
        terminal.say(
            "Site \(site) was created. Move \(Printable.text(directory))/root.key and next-root.key off this machine, "
                + "to two separate places. Leave no copy here. Then start boxsited.")
    }
}
