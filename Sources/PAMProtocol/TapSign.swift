/// A file beside pam.sock in which the agent shows whether a tap waits for a program: `0` or `1`.
///
/// A program that would not wait for a tap need not ask for one while the sign says that there is none: its prompt then
/// owes nothing to the agent, not even the time in which the agent wakes up. The sign is only ever a reason not to ask;
/// a file that is missing, empty or anything else is none.
public enum TapSign {
    public static let none = UInt8(ascii: "0")
    public static let held = UInt8(ascii: "1")

    /// `tap` in the directory of the socket at `socketPath`; nil when that is no path of a file.
    public static func path(besides socketPath: [UInt8]) -> [UInt8]? {
        guard let slash = socketPath.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let name: [UInt8] = [UInt8(ascii: "t"), UInt8(ascii: "a"), UInt8(ascii: "p")]
        return Array(socketPath[...slash]) + name
    }
}
