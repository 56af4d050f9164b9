#if hasFeature(Embedded)
    import AgentProtocolEmbedded
#else
    import AgentProtocol
#endif

/// What may become PAM_USER. Directory services have names with spaces, backslashes and any script in them; what no
/// name has, and what later modules and logs trip over, is a control character.
public enum UserNames {
    public static func isAcceptable(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty, name.count <= AgentLimits.userBytes else { return false }
        return name.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
