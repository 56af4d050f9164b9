/// The rules for user names, which are bytes as the system has them, and perhaps not UTF-8. Escape a name to show it.
///
/// `isName` is the basic rule, and three others add to it, because names have different sources and uses:
/// - `isName` is for accounts that exist. To refuse a name that the system itself reported has no benefit.
/// - `isAllowed` is for a phone's login. A log, path, command line or passwd(5) would misread other names.
/// - `isOneWord` is for accounts for which a greeter starts another program, which may split its arguments at blanks.
/// - `isPrintable` is for names in an enrolment code, which phones of any make display.
public enum UserName {
    /// Longest name, in bytes: LOGIN_NAME_MAX of Linux is 256 with its NUL.
    public static let byteLimit = 255

    /// Returns whether `name` has 1…`byteLimit` bytes and no NUL.
    public static func isName(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name.count <= byteLimit && !name.contains(0)
    }

    /// Returns whether `name` is free of control characters, `/` and `:`, does not begin with `-`, and is not `.` or
    /// `..`. Directory services have names with spaces, backslashes and any script.
    public static func isAllowed(_ name: [UInt8]) -> Bool {
        guard isName(name), name.first != 0x2D else { return false }
        if name.count <= 2, name.allSatisfy({ $0 == 0x2E }) { return false }
        return name.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F && $0 != 0x3A }
    }

    /// Returns whether `name` is allowed and has no space.
    public static func isOneWord(_ name: [UInt8]) -> Bool {
        isAllowed(name) && !name.contains(0x20)
    }
}
