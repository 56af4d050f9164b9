#if hasFeature(Embedded)
    import NamesEmbedded
    import WireEmbedded
#else
    import Names
    import Wire
#endif

/// A message from the PAM module to session-hook, through a pipe: start the helper of a new text console session.
///
/// It is `[2, program, user, opener]` in deterministic CBOR, like HookOrder. It does not name the session, because the
/// module knows the session only from the PAM environment, to which users may write. session-hook asks the kernel.
public struct ConsoleOrder: Equatable, Sendable {
    /// pid_max of 64-bit Linux (proc(5)).
    public static let processLimit: UInt64 = 4_194_304

    /// The path of boxagent-session.
    public var program: [UInt8]
    /// The item PAM_USER, which the program sets and its users cannot.
    public var user: [UInt8]
    /// The process that opened the session, and so leads it.
    public var opener: UInt64

    public init(program: [UInt8], user: [UInt8], opener: UInt64) {
        self.program = program
        self.user = user
        self.opener = opener
    }

    /// Encodes into a buffer of at least `HookOrder.messageBytes`.
    public func encode(into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        try writer.writeMessageHead(2, fields: 3, to: &output)
        try writer.writeBytes(program, to: &output)
        try writer.writeBytes(user, to: &output)
        try writer.writeUnsigned(opener, to: &output)
        return writer.offset
    }

    public static func decode(_ input: RawSpan) throws(WireError) -> ConsoleOrder {
        guard input.byteCount <= HookOrder.messageBytes else { throw .tooLarge }
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        guard head.kind == 2, head.fields == 3 else { throw .unknown }
        let program = try reader.readBoundedBytes(in: input, limit: HookOrder.pathBytes)
        let user = try reader.readBoundedBytes(in: input, limit: UserName.byteLimit)
        let opener = try reader.readUnsigned(in: input, limit: processLimit)
        try reader.finish(in: input)
        guard HookOrder.isProgramPath(program), UserName.isName(user), opener >= 1 else { throw .outOfRange }
        return ConsoleOrder(program: program, user: user, opener: opener)
    }
}
