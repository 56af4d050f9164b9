import DBus
import Glibc

/// Checks logind's data of the session that PAM opened (org.freedesktop.login1(5), "Session Objects").
enum ConsoleSession {
    /// Returns whether the process `opener` opened the session for this user on a text console. su(1) opens a PAM
    /// session inside another session. Logins over the network and greeters have no console of a user.
    static func isOpened(by opener: Int32, _ values: [String: DBusValue]) -> Bool {
        values["Leader"]?.integer == Int(opener) && values["Class"]?.text == "user"
            && values["User"]?.fields?.first?.integer == Int(getuid()) && isConsole(values["TTY"]?.text ?? "")
    }

    /// Accepts "tty1" to "tty63".
    private static func isConsole(_ terminal: String) -> Bool {
        guard terminal.hasPrefix("tty"), let number = UInt8(terminal.dropFirst(3)) else { return false }
        return (1...63).contains(number)
    }
}
