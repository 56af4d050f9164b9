import Names

/// A user whom a login may be started for: a name that no program takes for an option, a path or a list.
///
/// The agent has checked the name of an enrolled phone's user; this program does not rely on it.
struct LoginUser: Equatable, Sendable {
    let name: [UInt8]

    init?(_ name: [UInt8]) {
        guard UserName.isOneWord(name) else { return nil }
        self.name = name
    }
}
