#if hasFeature(Embedded)
    import PAMProtocolEmbedded
#else
    import PAMProtocol
#endif

/// The arguments of a module's line in the PAM configuration. Unknown arguments are logged and ignored, because a
/// typing error must not lock anyone out.
public struct ModuleArguments: Equatable, Sendable {
    /// `wait=SECONDS`: how long to wait for a tap, 0 to 300. With 0, only an earlier tap counts.
    public private(set) var waitSeconds: UInt64 = 0
    /// `prompt`: asks the user to tap while the module waits.
    public private(set) var prompt = false
    /// `debug`: logs events, never a secret.
    public private(set) var debug = false
    /// `verdict`: marks the line after the password modules.
    public private(set) var verdict = false
    /// `refused`: marks the line that is reached after every password module has refused.
    public private(set) var refused = false
    /// `keep`: keeps the credential in locked memory until open_session, for the session hook.
    public private(set) var keep = false
    /// `hook=PATH`: the program that open_session starts as the user, with the credential. See session-hook(8).
    public private(set) var hookPath: [UInt8]?
    /// `hook_seconds=SECONDS`: the time limit of the program in `hook=`, 1 to 3600.
    public private(set) var hookSeconds: UInt64 = 60
    /// `console`, or `console=PATH` in tests and private runs: for a session on a text console, open_session starts
    /// boxagent-session as the user.
    public private(set) var consolePath: [UInt8]?
    /// `helper=PATH`: the path of session-hook, for tests and private runs.
    public private(set) var helperPath: [UInt8]
    /// `socket=PATH`: the agent's socket. Absolute, at most 107 bytes.
    public private(set) var socketPath: [UInt8]

    /// The size of sockaddr_un's sun_path (unix(7)), without its NUL.
    public static let socketPathBytes = 107
    private static let longestArgumentBytes = 4_096

    public init() {
        socketPath = TextLine("/run/boxagent/pam.sock").bytes
        helperPath = TextLine("/usr/libexec/boxagent/session-hook").bytes
    }

    /// Parses one argument. Returns the line to log if it is not valid.
    public mutating func read(_ argument: [UInt8]) -> TextLine? {
        if argument.count > Self.longestArgumentBytes {
            return TextLine("an argument of this module's line is too long and was ignored; see pam_boxagent(8)")
        }
        if Self.equal(argument, "prompt") {
            prompt = true
        } else if Self.equal(argument, "debug") {
            debug = true
        } else if Self.equal(argument, "verdict") {
            verdict = true
        } else if Self.equal(argument, "refused") {
            refused = true
        } else if Self.equal(argument, "keep") {
            keep = true
        } else if let value = Self.value(of: "wait=", in: argument) {
            guard let seconds = Self.number(value), seconds <= PAMLimits.waitSeconds else {
                return Self.ignored(argument, "; wait= takes whole seconds from 0 to 300")
            }
            waitSeconds = seconds
        } else if let value = Self.value(of: "hook_seconds=", in: argument) {
            guard let seconds = Self.number(value), seconds >= 1, seconds <= HookOrder.limitSeconds else {
                return Self.ignored(argument, "; hook_seconds= takes whole seconds from 1 to 3600")
            }
            hookSeconds = seconds
        } else if let value = Self.value(of: "hook=", in: argument) {
            guard HookOrder.isProgramPath(value) else {
                return Self.ignored(argument, "; hook= takes an absolute path of at most 255 bytes")
            }
            hookPath = value
        } else if Self.equal(argument, "console") {
            consolePath = TextLine("/usr/bin/boxagent-session").bytes
        } else if let value = Self.value(of: "console=", in: argument) {
            guard HookOrder.isProgramPath(value) else {
                return Self.ignored(argument, "; console= takes an absolute path of at most 255 bytes")
            }
            consolePath = value
        } else if let value = Self.value(of: "helper=", in: argument) {
            guard HookOrder.isProgramPath(value) else {
                return Self.ignored(argument, "; helper= takes an absolute path of at most 255 bytes")
            }
            helperPath = value
        } else if let value = Self.value(of: "socket=", in: argument) {
            guard value.first == 0x2F, value.count <= Self.socketPathBytes, !value.contains(0) else {
                return Self.ignored(argument, "; socket= takes an absolute path of at most 107 bytes")
            }
            socketPath = value
        } else {
            return Self.ignored(
                argument,
                "; known: wait=SECONDS prompt debug verdict refused keep hook=PATH hook_seconds=SECONDS console socket=PATH"
            )
        }
        return nil
    }

    private static func ignored(_ argument: [UInt8], _ advice: StaticString) -> TextLine {
        var line = TextLine("ignored the argument \"")
        line.append(foreign: [UInt8](argument.prefix(64)))
        line.append("\"")
        line.append(advice)
        return line
    }

    private static func equal(_ argument: [UInt8], _ name: StaticString) -> Bool {
        argument == TextLine(name).bytes
    }

    private static func value(of name: StaticString, in argument: [UInt8]) -> [UInt8]? {
        let start = TextLine(name).bytes
        guard argument.starts(with: start) else { return nil }
        return [UInt8](argument.dropFirst(start.count))
    }

    private static func number(_ digits: [UInt8]) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 9 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            value = value &* 10 &+ UInt64(digit &- 0x30)
        }
        return value
    }
}
