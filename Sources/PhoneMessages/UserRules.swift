/// What a user name may look like on the wire: bytes, as the system has it, not necessarily UTF-8. Who shows one
/// to a person escapes it.
public enum UserRules {
    /// Whether `user` has 1…`MessageLimits.userBytes` bytes and no NUL.
    public static func isAllowed(_ user: [UInt8]) -> Bool {
        !user.isEmpty && user.count <= MessageLimits.userBytes && !user.contains(0)
    }

    /// What may be a user name on the box, too: bytes that neither a terminal, a path, a command line nor passwd(5) takes for
    /// something else.
    public static func isUserName(_ name: [UInt8]) -> Bool {
        isAllowed(name) && !name.contains(0x2F) && !name.contains(0x3A) && name.first != 0x2D
    }
}
