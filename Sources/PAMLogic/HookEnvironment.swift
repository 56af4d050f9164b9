#if hasFeature(Embedded)
    import PAMProtocolEmbedded
#else
    import PAMProtocol
#endif

/// Selects the PAM variables for a session hook. Users can set PAM variables through modules such as pam_env, so only
/// variables that describe a session pass. No PAM variable ever reaches a program that runs as root.
public struct HookEnvironment {
    public private(set) var variables: [[UInt8]] = []
    /// True if a variable was omitted because it did not fit.
    public private(set) var isCut = false
    private var bytes = 0

    private static let names: [StaticString] = [
        "LANG", "LANGUAGE", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "KRB5CCNAME",
        "PAM_SERVICE", "PAM_TTY",
    ]
    private static let beginnings: [StaticString] = ["XDG_", "LC_"]

    public init() {}

    /// Adds one `NAME=value` if the name is known and the value has no control characters.
    public mutating func add(_ variable: [UInt8]) {
        guard let equals = variable.firstIndex(of: 0x3D), Self.isKnown([UInt8](variable[..<equals])),
            variable.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return }
        guard variables.count < HookOrder.variables, variable.count <= HookOrder.variablesBytes &- bytes else {
            isCut = true
            return
        }
        bytes = bytes &+ variable.count
        variables.append(variable)
    }

    public mutating func add(_ name: StaticString, _ value: [UInt8]) {
        add(TextLine(name).bytes + [0x3D] + value)
    }

    private static func isKnown(_ name: [UInt8]) -> Bool {
        let isPlain = name.allSatisfy { byte in
            (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x30 && byte <= 0x39) || byte == 0x5F
        }
        return isPlain
            && (names.contains { name == TextLine($0).bytes }
                || beginnings.contains { name.starts(with: TextLine($0).bytes) })
    }
}
