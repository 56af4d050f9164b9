import AgentCore

/// Who is connected, by the numbers by which the machine knows them.
struct Connections {
    var phones: [ChannelID: PhoneChannel] = [:]
    var programs: [ProgramID: ProgramConnection] = [:]
    var commands: [ControlID: ControlConnection] = [:]
    /// Links to servers of the box's site: one, and perhaps one that has just ended.
    var servers: [SiteLinkID: SiteServerLink] = [:]
    private var last: UInt64 = 0

    /// No two connections have the same, of whatever kind.
    mutating func number() -> UInt64 {
        last += 1
        return last
    }

    /// A program of PAM, or `boxagent test-login`, which waits like one.
    func program(_ id: ProgramID) -> (any LoginProgram)? {
        programs[id] ?? commands[ControlID(number: id.number)]
    }
}
