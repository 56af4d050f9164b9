/// What a user name may be, in bytes, as the system has it: not necessarily UTF-8. Who shows one to a person escapes it.
///
/// There is one rule, `isName`, and three that add to it. They differ since their names come from elsewhere and go elsewhere:
/// - `isName`: of accounts that exist already. Nothing is gained by refusing a name that the system itself has told.
/// - `isAllowed`: of accounts that somebody asks a phone's login for. Nobody needs a name that a log, a path, a command line or
///   passwd(5) takes for something else.
/// - `isOneWord`: of accounts for whom a greeter starts another program, which may split what it is given at blanks.
/// - `isPrintable`: of names in an enrolment code, which phones of any make show to a person.
public enum UserName {
    /// Longest name, in bytes: LOGIN_NAME_MAX of Linux is 256 with its NUL.
    public static let byteLimit = 255

    /// Whether `name` has 1…`byteLimit` bytes and no NUL.
    public static func isName(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name.count <= byteLimit && !name.contains(0)
    }

    /// Whether `name` is a name without control characters, `/` and `:` that does not begin with `-` and is no directory's
    /// `.` or `..`. Directory services have names with spaces, backslashes and any script in them.
    public static func isAllowed(_ name: [UInt8]) -> Bool {
        guard isName(name), name.first != 0x2D else { return false }
        if name.count <= 2, name.allSatisfy({ $0 == 0x2E }) { return false }
        return name.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F && $0 != 0x3A }
    }

    /// Whether `name` is allowed and has no space.
    public static func isOneWord(_ name: [UInt8]) -> Bool {
        isAllowed(name) && !name.contains(0x20)
    }
}
