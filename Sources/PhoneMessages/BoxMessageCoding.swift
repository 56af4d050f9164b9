import Names
import Wire

/// The encoding is `[type, id, …]`, with types 16…26, 28, 29, 35…38, 40…42 and 44. The id of a pushed message is 0.
extension BoxMessage {
    /// Reads one whole message.
    public static func decode(_ input: RawSpan) throws(WireError) -> BoxMessage {
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        let message = try BoxMessage(reading: input, with: &reader, head: head)
        try reader.finish(in: input)
        return message
    }

    private init(
        reading input: RawSpan, with reader: inout CBORReader, head: MessageHead
    ) throws(WireError) {
        switch (head.type, head.fields) {
        case (16, 2):
            let version = try reader.readUInt8(in: input)
            guard version >= 1 else { throw .outOfRange }
            self = .hello(
                try head.requestID(), version: version,
                capabilities: Capabilities(rawValue: try reader.readUInt32(in: input, limit: .max)))
        case (17, 4):
            self = .enrolled(try head.requestID(), try EnrolResult(reading: input, with: &reader))
        case (18, 0): self = .enrolPending(try head.requestID())
        case (19, 1): self = .progress(try head.requestID(), try reader.readEnumeration(in: input))
        case (20, 3):
            let code: ResultCode = try reader.readEnumeration(in: input)
            let detail = ResultDetail(
                attemptsLeft: try reader.readOptionalAttempts(in: input),
                retryAfterSeconds: try reader.readOptionalSeconds(in: input))
            guard detail.fits(code) else { throw .outOfRange }
            self = .result(try head.requestID(), code, detail)
        case (21, 9):
            try head.requireNoRequest()
            self = .state(try BoxState(reading: input, with: &reader))
        case (22, 0):
            try head.requireNoRequest()
            self = .revoked
        case (MessageHead.pongType, 1): self = .pong(try head.requestID(), try reader.readPing(in: input))
        case (25, 1):
            try head.requireNoRequest()
            self = .offer(try reader.readEnumeration(in: input))
        case (26, 3):
            try head.requireNoRequest()
            self = .logoutWarning(try reader.readLogoutWarning(in: input))
        case (28, 5):
            try head.requireNoRequest()
            self = .elevation(try ElevationPrompt(reading: input, with: &reader))
        case (29, 1):
            try head.requireNoRequest()
            self = .elevationOver(try reader.readElevationID(in: input))
        case (36, 1):
            try head.requireNoRequest()
            self = .sessionEnded(try reader.readEnumeration(in: input))
        case (37...42, _), (44, _): self = try Self.ofSite(reading: input, with: &reader, head: head)
        case (35, 1): self = .enrolNonce(try head.requestID(), try reader.readEnrolmentBytes(in: input))
        default: throw .unknown
        }
    }

    /// Writes the message into `output` and returns the number of bytes. Refuses fields that `decode` would refuse.
    public func encode(into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        switch self {
        case .hello(let id, let version, let capabilities):
            guard version >= 1 else { throw .outOfRange }
            try writer.writeMessageHead(16, id: id, fields: 2, to: &output)
            try writer.writeUnsigned(UInt64(version), to: &output)
            try writer.writeUnsigned(UInt64(capabilities.rawValue), to: &output)
        case .enrolled(let id, let result):
            try writer.writeMessageHead(17, id: id, fields: 4, to: &output)
            try result.write(with: &writer, to: &output)
        case .enrolNonce(let id, let nonce):
            try writer.writeMessageHead(35, id: id, fields: 1, to: &output)
            try writer.writeEnrolmentBytes(nonce, to: &output)
        case .enrolPending(let id):
            try writer.writeMessageHead(18, id: id, fields: 0, to: &output)
        case .progress(let id, let progress):
            try writer.writeMessageHead(19, id: id, fields: 1, to: &output)
            try writer.writeUnsigned(UInt64(progress.rawValue), to: &output)
        case .result(let id, let code, let detail):
            guard detail.fits(code) else { throw .outOfRange }
            try writer.writeMessageHead(20, id: id, fields: 3, to: &output)
            try writer.writeUnsigned(UInt64(code.rawValue), to: &output)
            try writer.writeOptional(detail.attemptsLeft, to: &output)
            try writer.writeOptional(detail.retryAfterSeconds, to: &output)
        case .state(let state):
            try writer.writeMessageHead(21, id: nil, fields: 9, to: &output)
            try state.write(with: &writer, to: &output)
        case .revoked:
            try writer.writeMessageHead(22, id: nil, fields: 0, to: &output)
        case .pong(let id, let bytes):
            try writer.writeMessageHead(MessageHead.pongType, id: id, fields: 1, to: &output)
            try writer.writePing(bytes, to: &output)
        case .offer(let offer):
            try writer.writeMessageHead(25, id: nil, fields: 1, to: &output)
            try writer.writeUnsigned(UInt64(offer.rawValue), to: &output)
        case .logoutWarning(let warning):
            try writer.writeMessageHead(26, id: nil, fields: 3, to: &output)
            try writer.writeLogoutWarning(warning, to: &output)
        case .elevation(let prompt):
            try writer.writeMessageHead(28, id: nil, fields: 5, to: &output)
            try prompt.write(with: &writer, to: &output)
        case .elevationOver(let id):
            try writer.writeMessageHead(29, id: nil, fields: 1, to: &output)
            try writer.writeUnsigned(UInt64(id.rawValue), to: &output)
        case .sessionEnded(let end):
            try writer.writeMessageHead(36, id: nil, fields: 1, to: &output)
            try writer.writeUnsigned(UInt64(end.rawValue), to: &output)
        case .siteEntry, .siteGrant, .siteNews, .carried, .siteDocument, .siteEnrolled:
            try writeOfSite(with: &writer, to: &output)
        }
        return writer.offset
    }

    /// Returns the encoded message as an array. No message from a box to a phone is secret.
    public func encoded() throws(WireError) -> [UInt8] {
        var limit = MessageLimits.messageBytes
        if case .pong(_, let bytes) = self {
            limit = min(bytes.count + MessageLimits.messageBytes, MessageLimits.pingMessageBytes)
        }
        return try [UInt8].encoding(limit: limit) { output throws(WireError) in
            try encode(into: &output)
        }
    }
}

extension EnrolResult {
    fileprivate init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        deviceID = input.copy(try reader.readBytes(in: input, limit: DeviceID.byteCount))
        user = input.copy(try reader.readBytes(in: input, limit: UserName.byteLimit))
        credentialMode = try reader.readEnumeration(in: input)
        boxID = input.copy(try reader.readText(in: input, limit: MessageLimits.boxIDDigits.upperBound))
        guard isWellFormed else { throw .outOfRange }
    }

    fileprivate func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        guard isWellFormed else { throw .outOfRange }
        try writer.writeBytes(deviceID, to: &output)
        try writer.writeBytes(user, to: &output)
        try writer.writeUnsigned(UInt64(credentialMode.rawValue), to: &output)
        try writer.writeText(boxID, to: &output)
    }
}

extension BoxState {
    fileprivate init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        session = try reader.readEnumeration(in: input)
        if try reader.readNull(in: input) {
            user = nil
        } else {
            user = input.copy(try reader.readBytes(in: input, limit: UserName.byteLimit))
        }
        autoLogout = AutoLogout(
            seconds: try reader.readSeconds(in: input), minimumSeconds: try reader.readSeconds(in: input),
            maximumSeconds: try reader.readSeconds(in: input), mayBeOff: try reader.readBool(in: input))
        logoutInSeconds = try reader.readOptionalSeconds(in: input)
        credentialStale = try reader.readBool(in: input)
        pinAttemptsLeft = try reader.readOptionalAttempts(in: input)
        guard isWellFormed else { throw .outOfRange }
    }

    fileprivate func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        guard isWellFormed else { throw .outOfRange }
        try writer.writeUnsigned(UInt64(session.rawValue), to: &output)
        if let user {
            try writer.writeBytes(user, to: &output)
        } else {
            try writer.writeNull(to: &output)
        }
        try writer.writeUnsigned(UInt64(autoLogout.seconds), to: &output)
        try writer.writeUnsigned(UInt64(autoLogout.minimumSeconds), to: &output)
        try writer.writeUnsigned(UInt64(autoLogout.maximumSeconds), to: &output)
        try writer.writeBool(autoLogout.mayBeOff, to: &output)
        try writer.writeOptional(logoutInSeconds, to: &output)
        try writer.writeBool(credentialStale, to: &output)
        try writer.writeOptional(pinAttemptsLeft, to: &output)
    }
}
