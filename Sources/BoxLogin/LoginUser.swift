import Names

/// A user for whom a login may be started. No program takes the name for an option, a path or a list.
///
/// The agent has checked the name of an enrolled phone's user, but this program does not rely on that.
struct LoginUser: Equatable, Sendable {
    let name: [UInt8]

    init?(_ name: [UInt8]) {
        guard UserName.isOneWord(name) else { return nil }
        self.name = name
    }
}
