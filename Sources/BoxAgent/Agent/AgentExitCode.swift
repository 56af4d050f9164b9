/// Exit codes of sysexits(3) that `DaemonEnd` does not have; the manual page lists them.
enum AgentExitCode {
    static let unavailable: Int32 = 69
}
