/// Exit codes of sysexits(3); the manual page has them.
enum AgentExitCode {
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let configuration: Int32 = 78
}
