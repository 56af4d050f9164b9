#if hasFeature(Embedded)
    import NamesEmbedded
    import WireEmbedded
#else
    import Names
    import Wire
#endif

/// PAM module → session-hook, through a pipe: a session has opened on a text console; start its helper as the user.
///
/// `[2, program, user, opener]` in deterministic CBOR, as HookOrder. Which session it is stays unsaid: session-hook asks
/// the kernel, since all that the module knows of it stands in the PAM environment, where users may write.
public struct ConsoleOrder: Equatable, Sendable {
    /// pid_max of 64-bit Linux (proc(5)).
    public static let processLimit: UInt64 = 4_194_304

    /// boxagent-session, wherever it is.
    public var program: [UInt8]
    /// PAM_USER, the item, which the program sets and its users do not.
    public var user: [UInt8]
    /// The process that has opened the session, and so leads it.
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
