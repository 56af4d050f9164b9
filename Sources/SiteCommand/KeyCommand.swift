import ArgumentParser
import CommandTool
import ConfigurationFile
import EventLoop
import Glibc
import SiteServer
import SiteStore
import TextOutput

struct KeyCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Have the root sign the site's key, by which phones trust the site with passwords.",
        discussion: """
            boxsite init does it for a new site. Run it at a site that was made before, or whose site.secret is another one by now, \
            as the user that boxsited runs as, with root.key brought to this machine for as long as it takes. It has to be a file \
            that this user alone may read, which a stick's file system may not say. Then restart every boxsited. Phones take the \
            key with the next text that boxsite phone add prints for them.

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
        let outcome = Guarded<SiteCommandFailure?>(SiteCommandFailure(.fault, "not begun"))
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
