import ControlProtocol
import ArgumentParser
import AuditLog
import CommandTool
import Glibc
import TextOutput

/// What picks entries out of the audit log.
struct AuditFilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only entries from this time on: RFC 3339, YYYY-MM-DD, or a span before now such as 2h or 3d.",
            valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Only entries before this time.", valueName: "time"))
    var until: String?
    @Option(help: ArgumentHelp("Only entries about this user.", valueName: "name"))
    var user: String?
    @Option(
        help: ArgumentHelp(
            "Only entries about this phone: its id, a beginning of it, its label, or its user.", valueName: "device"))
    var device: String?
    @Option(
        help: ArgumentHelp("Only entries of this event, such as login-correct; may be repeated.", valueName: "kind"))
    var kind: [String] = []

    /// The first option that picks something out; nil where none does.
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
            let kinds = AuditKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--kind '\(Printable.text(word))' is no event; the events are \(kinds)")
        }
    }

    /// Everything but the device, whose name the agent has to be asked for.
    func filter() -> AuditFilter {
        let now = Self.now
        return AuditFilter(
            since: since.flatMap { Moment.unixSeconds($0, now: now) },
            until: until.flatMap { Moment.unixSeconds($0, now: now) }, user: user.map { Array($0.utf8) },
            kinds: kind.map { Array($0.utf8) })
    }

    /// The ids of the phones that `name` may mean, enrolled or revoked. Where it names several, all are: nothing is destroyed
    /// here.
    static func devices(
        named name: String, among listed: [DeviceListing]
    ) throws(CommandFailure) -> [[UInt8]] {
        let meant = DeviceName(text: name).named(among: listed)
        guard !meant.isEmpty else {
            throw CommandFailure(
                .negative, "no phone has '\(Printable.text(name))' as its id, label or user",
                cure: "see 'boxagent devices'")
        }
        return meant.map(\.id)
    }

    private static var now: Int64 { Int64(time(nil)) }
}
