import EventLoop
import SiteControl

/// Has names looked up by processes that are killed when they hang.
struct DirectoryRunner: Sendable {
    /// For names that one process looks up, all together.
    private static let patience: Duration = .seconds(10)
    private static let namesAtOnce = 32
    /// How often something may hang until the rest of the names is not looked up.
    private static let hangs = 2
    private static let findingBytes = 2_048

    let loop: EpollLoop
    let service: String

    /// A finding for each user, in their order.
    func find(_ names: [DirectoryName]) async -> [DirectoryFinding] {
        let groups = names.filter { $0.kind == .group }
        var left = names.filter { $0.kind == .user }[...]
        var findings: [DirectoryFinding] = []
        var hung = 0
        while let first = left.first {
            let some = Array(left.prefix(Self.namesAtOnce))
            let (found, ending) = await look(groups, some)
            findings += found.prefix(some.count)
            left = left.dropFirst(min(found.count, some.count))
            guard found.count < some.count else { continue }
            hung += 1
            let name = left.first?.name ?? first.name
            let why = "\(ending) at \(name)"
            // The one at which it was, or all others.
            let lost = hung < Self.hangs ? 1 : left.count
            findings += Array(repeating: Self.unclear(why), count: lost)
            left = left.dropFirst(lost)
        }
        return findings
    }

    private func look(
        _ groups: [DirectoryName], _ names: [DirectoryName]
    ) async -> (found: [DirectoryFinding], ending: String) {
        // sssd's clients answer from a memory of their own for up to 300 s (memcache_timeout in sssd.conf(5)).
        let environment = ChildCommand.plainEnvironment.merging(["SSS_NSS_USE_MEMCACHE": "NO"]) { $1 }
        let command = ChildCommand(
            "/proc/self/exe", ["--look-up", "--service", service], environment: environment,
            input: (groups + names).flatMap(DirectoryRecord.text), outputLimitBytes: names.count * Self.findingBytes,
            timeLimit: Self.patience)
        do throws(SystemError) {
            let result = try await ChildProcess.run(command, on: loop)
            let ending =
                switch result.ending {
                case .timedOut: "the lookup took longer than \(Self.patience.components.seconds) s"
                case .signalled(let signal): "the lookup was ended by signal \(signal)"
                case .exited, .cancelled: "the lookup ended early"
                }
            return (DirectoryRecord.findings(result.output), ending)
        } catch {
            return ([], "\(error)")
        }
    }

    private static func unclear(_ why: String) -> DirectoryFinding {
        var finding = DirectoryFinding()
        finding.why = why
        return finding
    }
}
