#if hasFeature(Embedded)
    import NamesEmbedded
    import WireEmbedded
#else
    import Names
    import Wire
#endif

/// A message from the PAM module to session-hook, through a pipe: run a program for a user. The credential is in the
/// same message, but stays in buffers that their owners wipe.
///
/// It is `[1, program, user, seconds, variables, credential]` in deterministic CBOR. One write of at most
/// `messageBytes` sends it, so that neither side ever waits for the other.
public struct HookOrder: Equatable, Sendable {
    /// PIPE_BUF of Linux. A write of this size into an empty pipe does not block, and one read returns all of it.
    public static let messageBytes = 4_096
    public static let pathBytes = 255
    public static let limitSeconds: UInt64 = 3_600
    /// The most variables, each `NAME=value`.
    public static let variables = 32
    public static let variablesBytes = 2_048

    public var program: [UInt8]
    public var user: [UInt8]
    /// The time limit of the program.
    public var seconds: UInt64
    public var environment: [[UInt8]]

    public init(program: [UInt8], user: [UInt8], seconds: UInt64, environment: [[UInt8]]) {
        self.program = program
        self.user = user
        self.seconds = seconds
        self.environment = environment
    }

    public static func isProgramPath(_ path: [UInt8]) -> Bool {
        path.first == 0x2F && path.count > 1 && path.count <= pathBytes && path.last != 0x2F && !path.contains(0)
    }

    /// Encodes into a buffer that the caller wipes.
    public func encode(authtok: RawSpan, into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        try writer.writeMessageHead(1, fields: 5, to: &output)
        try writer.writeBytes(program, to: &output)
        try writer.writeBytes(user, to: &output)
        try writer.writeUnsigned(seconds, to: &output)
        try writer.writeArrayHeader(environment.count, to: &output)
        for variable in environment { try writer.writeBytes(variable, to: &output) }
        try writer.writeBytes(authtok, to: &output)
        return writer.offset
    }

    /// Returns the order, and the range of the credential in `input`.
    public static func decode(_ input: RawSpan) throws(WireError) -> (order: HookOrder, authtok: Range<Int>) {
        guard input.byteCount <= messageBytes else { throw .tooLarge }
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        guard head.kind == 1, head.fields == 5 else { throw .unknown }
        let program = try reader.readBoundedBytes(in: input, limit: pathBytes)
        let user = try reader.readBoundedBytes(in: input, limit: UserName.byteLimit)
        let seconds = try reader.readUnsigned(in: input, limit: limitSeconds)
        var environment: [[UInt8]] = []
        var left = try reader.readArrayHeader(in: input, limit: variables)
        while left > 0 {
            environment.append(try reader.readBoundedBytes(in: input, limit: variablesBytes))
            left -= 1
        }
        let authtok = try reader.readBytes(in: input, limit: PAMLimits.credentialBytes)
        try reader.finish(in: input)
        guard isProgramPath(program), UserName.isName(user), seconds >= 1, !authtok.isEmpty,
            environment.allSatisfy({ !$0.contains(0) })
        else { throw .outOfRange }
        return (
            HookOrder(program: program, user: user, seconds: seconds, environment: environment), authtok
        )
    }
}
