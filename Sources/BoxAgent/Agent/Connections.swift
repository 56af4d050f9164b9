import AgentCore

/// All connections, by the numbers that the machine uses.
struct Connections {
    var phones: [ChannelID: PhoneChannel] = [:]
    var programs: [ProgramID: ProgramConnection] = [:]
    var commands: [ControlID: ControlConnection] = [:]
    /// Links to servers of the box's site: one, and possibly one that has just ended.
    var servers: [SiteLinkID: SiteServerLink] = [:]
    private var last: UInt64 = 0

    /// Returns a number that no other connection of any kind has.
    mutating func number() -> UInt64 {
        last += 1
        return last
    }

    /// Returns a PAM program, or a `boxagent test-login`, which waits like one.
    func program(_ id: ProgramID) -> (any LoginProgram)? {
        programs[id] ?? commands[ControlID(number: id.number)]
    }
}
