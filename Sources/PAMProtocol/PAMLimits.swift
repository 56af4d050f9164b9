#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

/// The bounds of messages between PAM module and agent. In bytes, unless the name says otherwise.
public enum PAMLimits {
    /// One SOCK_SEQPACKET message in either direction.
    public static let messageBytes = 8_192
    /// The version of this protocol. The agent refuses any other version. Module and agent are installed together.
    public static let protocolVersion: UInt64 = 1
    /// A PAM service name, which is a file name in /etc/pam.d.
    public static let serviceBytes = 64
    /// A terminal, from PAM_TTY.
    public static let terminalBytes = 128
    /// A remote host, from PAM_RHOST.
    public static let remoteHostBytes = 255
    /// A logind session id.
    public static let sessionBytes = 64
    /// A credential. PAM_MAX_RESP_SIZE is 512 with its NUL.
    public static let credentialBytes = 511
    /// The longest wait that a PAM module may request, in seconds.
    public static let waitSeconds: UInt64 = 300
    /// The digits of a box ID.
    public static let boxIDBytes = 64
}

extension CBORReader {
    /// Reads a name that another program chose (user, service, host), which may not be UTF-8.
    mutating func readBoundedBytes(in input: RawSpan, limit: Int) throws(WireError) -> [UInt8] {
        let range = try readBytes(in: input, limit: limit)
        return input.copy(range)
    }

    mutating func readOptionalBytes(in input: RawSpan, limit: Int) throws(WireError) -> [UInt8]? {
        if try readNull(in: input) { return nil }
        return try readBoundedBytes(in: input, limit: limit)
    }

    mutating func readOptionalUnsigned(in input: RawSpan, limit: UInt64) throws(WireError) -> UInt64? {
        if try readNull(in: input) { return nil }
        return try readUnsigned(in: input, limit: limit)
    }

    /// Reads the head of a message: an array whose first element is the kind.
    mutating func readMessageHead(in input: RawSpan) throws(WireError) -> (kind: UInt64, fields: Int) {
        guard input.byteCount <= PAMLimits.messageBytes else { throw .tooLarge }
        let count = try readArrayHeader(in: input, limit: 24)
        guard count >= 1 else { throw .unexpectedType }
        return (try readUnsigned(in: input), count - 1)
    }
}

extension CBORWriter {
    mutating func writeMessageHead(
        _ kind: UInt64, fields: Int, to output: inout MutableRawSpan
    ) throws(WireError) {
        try writeArrayHeader(fields + 1, to: &output)
        try writeUnsigned(kind, to: &output)
    }

    mutating func writeOptionalBytes(_ value: [UInt8]?, to output: inout MutableRawSpan) throws(WireError) {
        guard let value else { return try writeNull(to: &output) }
        try writeBytes(value, to: &output)
    }

    mutating func writeOptionalUnsigned(_ value: UInt64?, to output: inout MutableRawSpan) throws(WireError) {
        guard let value else { return try writeNull(to: &output) }
        try writeUnsigned(value, to: &output)
    }
}
