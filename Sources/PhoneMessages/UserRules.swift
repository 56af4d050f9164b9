/// What a user name may look like on the wire: bytes, as the system has it, not necessarily UTF-8. Who shows one
/// to a person escapes it.
public enum UserRules {
    /// Whether `user` has 1…`MessageLimits.userBytes` bytes and no NUL.
    public static func isAllowed(_ user: [UInt8]) -> Bool {
        !user.isEmpty && user.count <= MessageLimits.userBytes && !user.contains(0)
    }
}
