import ArgumentParser
import AuditLog
import CommandTool
import ConfigurationFile
import ControlProtocol
import Glibc
import TextOutput

/// Options that select entries of the audit log.
struct AuditFilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show only entries since this time: RFC 3339, YYYY-MM-DD, or a span before now such as 2h or 3d.",
            valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Show only entries before this time.", valueName: "time"))
    var until: String?
    @Option(help: ArgumentHelp("Show only entries about this user.", valueName: "name"))
    var user: String?
    @Option(
        help: ArgumentHelp(
            "Show only entries about this phone: its id or the start of it, its label, or its user.",
            valueName: "device"))
    var device: String?
    @Option(
        help: ArgumentHelp(
            "Show only entries with this event, such as login-correct. May be repeated.", valueName: "kind"))
    var kind: [String] = []

    /// The first option that selects entries; nil if there is none.
    var firstGiven: String? {
        let given = [
            ("--since", since != nil), ("--until", until != nil), ("--user", user != nil), ("--device", device != nil),
            ("--kind", !kind.isEmpty),
        ]
        return given.first { $0.1 }?.0
    }

    func validate() throws {
        for (name, text) in [("--since", since), ("--until", until)] {
            guard let text else { continue }
            guard Moment.unixSeconds(text, now: Self.now) != nil else {
                throw ValidationError("\(name) takes a time: \(Moment.forms)")
            }
        }
        for word in kind where AuditKind(rawValue: word) == nil {
            let kinds = AuditKind.allCases.map(\.rawValue)
            let near = Spelling.nearest(to: word, among: kinds).map { ". Did you mean \($0)?" } ?? ""
            throw ValidationError(
                "--kind \"\(Printable.text(word))\" is not an event; the events are "
                    + "\(kinds.joined(separator: ", "))\(near)"
            )
        }
    }

    /// Returns the filter as typed. The names of devices and users must still be looked up at the agent.
    func filter() -> AuditFilter {
        let now = Self.now
        return AuditFilter(
            since: since.flatMap { Moment.unixSeconds($0, now: now) },
            until: until.flatMap { Moment.unixSeconds($0, now: now) }, user: user.map { AccountName($0) },
            kinds: kind.map { Array($0.utf8) })
    }

    /// Returns the IDs of all phones that `name` may mean, enrolled or revoked. A name may match several phones here.
    static func devices(
        named name: String, among listed: [DeviceListing]
    ) throws(CommandFailure) -> [[UInt8]] {
        let meant = DeviceName(text: name).named(among: listed)
        guard !meant.isEmpty else {
            throw CommandFailure(
                .negative, "no phone has the id, label or user \"\(Printable.text(name))\"",
                cure: "list the phones with: boxagent devices")
        }
        return meant.map(\.id)
    }

    private static var now: Int64 { Int64(time(nil)) }
}
