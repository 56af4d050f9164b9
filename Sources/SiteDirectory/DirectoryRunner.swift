import EventLoop
import SiteControl

/// Looks names up in processes that are killed when they hang.
struct DirectoryRunner: Sendable {
    /// The time limit for all names that one process looks up.
    private static let patience: Duration = .seconds(10)
    private static let namesAtOnce = 32
    /// The number of hangs after which the remaining names are not looked up.
    private static let hangs = 2
    private static let findingBytes = 2_048

    let loop: EpollLoop
    let service: String

    /// Returns a finding for each user, in their order.
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
            // The first hang costs one name, and the last hang all names that are left.
            let lost = hung < Self.hangs ? 1 : left.count
            findings += Array(repeating: Self.unclear(why), count: lost)
            left = left.dropFirst(lost)
        }
        return findings
    }

    private func look(
        _ groups: [DirectoryName], _ names: [DirectoryName]
    ) async -> (found: [DirectoryFinding], ending: String) {
        // Otherwise, sssd's clients use a cache of their own for up to 300 s (memcache_timeout in sssd.conf(5)).
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
