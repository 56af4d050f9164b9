import DBus
import Glibc

/// What logind says of a session in which PAM has this helper started (org.freedesktop.login1(5), "Session Objects").
enum ConsoleSession {
    /// Whether that process has opened it, for this user, on a text console. su(1) opens one for PAM inside of another's,
    /// and a login over the network or a greeter's has no console of a person's.
    static func isOpened(by opener: Int32, _ values: [String: DBusValue]) -> Bool {
        values["Leader"]?.integer == Int(opener) && values["Class"]?.text == "user"
            && values["User"]?.fields?.first?.integer == Int(getuid()) && isConsole(values["TTY"]?.text ?? "")
    }

    /// "tty1" to "tty63".
    private static func isConsole(_ terminal: String) -> Bool {
        guard terminal.hasPrefix("tty"), let number = UInt8(terminal.dropFirst(3)) else { return false }
        return (1...63).contains(number)
    }
}
