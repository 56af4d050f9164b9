import AgentProtocol
import ArgumentParser
import AuditLog
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
            "Only entries about this phone: its id, a beginning of it, or its label.", valueName: "device"))
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

    /// The ids of the phones that `name` means: all of that label, else the one whose id begins so, enrolled or revoked.
    static func devices(
        named name: String, among listed: [DeviceListing]
    ) throws(CommandFailure) -> [[UInt8]] {
        let bytes = Array(name.utf8)
        let labelled = listed.filter { $0.label == bytes }
        if !labelled.isEmpty { return labelled.map(\.id) }
        let found = name.isEmpty ? [] : listed.filter { lowered($0.id).starts(with: lowered(bytes)) }
        if found.count > 1 {
            throw CommandFailure(
                .invalid, "\(found.count) devices begin with '\(Printable.text(name))'",
                cure: "give more of the id, as 'boxagent devices' shows it")
        }
        guard let device = found.first else {
            throw CommandFailure(
                .negative, "no device has the id or the label '\(Printable.text(name))'",
                cure: "see 'boxagent devices' for ids and labels")
        }
        return [device.id]
    }

    /// Ids are shown in lower case, and may be typed in capitals.
    private static func lowered(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    private static var now: Int64 { Int64(time(nil)) }
}
