import ArgumentParser
import CommandTool
import ConfigurationFile
import EventLoop
import Glibc
import SiteSetup
import SiteStore
import TextOutput

struct KeyCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Sign the site's key with the root, so that phones trust the site with passwords.",
        discussion: """
            boxsite init does this for a new site. Run the command for an older site, after site.secret was \
            replaced, or after the next root took over, as the user of boxsited. Bring root.key to this machine only \
            for as long as the command needs. It must be a file that only this user may read; the file system of a \
            stick may not support this. Then restart every boxsited. Phones get the key with the next text that \
            boxsite phone add or boxsite phone grant prints for them.
            Example, with root.key on a stick at /media/one:
              install -d -o boxsite -g boxsite -m 0700 /run/root-key
              install -o boxsite -g boxsite -m 0600 /media/one/root.key /run/root-key/root.key
              runuser -u boxsite -- boxsite key --root-key /run/root-key/root.key
              rm -r /run/root-key
            """)

    @Option(help: ArgumentHelp("The server's configuration.", valueName: "file"))
    var config: String = SiteConfiguration.defaultPath

    @Option(help: ArgumentHelp("The file with the root's key.", valueName: "file"))
    var rootKey: String

    func perform(_ terminal: Terminal) throws {
        let configuration: SiteConfiguration
        do throws(ConfigurationError) {
            configuration = try SiteConfiguration.load(path: config)
        } catch {
            throw SiteCommandFailure(.configuration, "the configuration is refused\n\(error)")
        }
        let file = rootKey
        let outcome = Guarded<SiteCommandFailure?>(SiteCommandFailure(.fault, "not started"))
        _ = EpollLoop.runMain { loop in
            do {
                try await SiteKeySigning(configuration, rootFile: file, on: loop)
                    .run(by: SiteStore.Actor("uid \(geteuid())"))
                outcome.withLock { $0 = nil }
            } catch {
                outcome.withLock { $0 = SiteCommandFailure(.fault, "the site's key was not signed: \(error)") }
            }
            return 0
        }
        if let failure = outcome.withLock({ $0 }) { throw failure }
        terminal.say(
            "The root has signed the site's key. Take the root's key off this machine, and restart every boxsited.")
    }
}
