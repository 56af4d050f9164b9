import Secrets
import Wire

/// A request and the id of its answers. The encoding is `[type, id, …]`, types 1…15, 27, 30…34, 39, 43 and 45…47.
public struct PhoneRequestMessage: Sendable {
    public var id: RequestID
    public var request: PhoneRequest

    public init(id: RequestID, request: PhoneRequest) {
        self.id = id
        self.request = request
    }

    /// Reads one whole message. Copies its secrets straight into guarded memory; the caller must wipe `input`.
    public static func decode(_ input: RawSpan) throws(WireError) -> PhoneRequestMessage {
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        let id = try head.requestID()
        let request = try PhoneRequest(reading: input, with: &reader, head: head)
        try reader.finish(in: input)
        return PhoneRequestMessage(id: id, request: request)
    }

    /// Writes the message into a buffer that the caller wipes, and returns the number of bytes. Refuses fields that
    /// `decode` would refuse.
    public func encode(into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        try request.write(id: id, with: &writer, to: &output)
        return writer.offset
    }

    /// Returns the message in guarded memory.
    public func encoded() throws(WireError) -> SecretBytes {
        var bytes = SecretBytes(count: request.messageLimit)
        let count = try bytes.withMutableBytes { output throws(WireError) in try encode(into: &output) }
        bytes.keep(0..<count)
        return bytes
    }
}

extension PhoneRequest {
    /// The buffer size that the encoding may need, in bytes.
    fileprivate var messageLimit: Int {
        guard case .ping(let bytes) = self else { return MessageLimits.messageBytes }
        return min(bytes.count + MessageLimits.messageBytes, MessageLimits.pingMessageBytes)
    }

    fileprivate init(
        reading input: RawSpan, with reader: inout CBORReader, head: MessageHead
    ) throws(WireError) {
        switch (head.type, head.fields) {
        case (1, 2), (1, 3):
            self = .hello(
                versions: try reader.readVersions(in: input),
                capabilities: Capabilities(rawValue: try reader.readUInt32(in: input, limit: .max)),
                grant: head.fields == 3 ? try reader.readShownGrant(in: input) : nil)
        case (2, 2):
            let request = EnrolRequest(
                label: input.copy(try reader.readText(in: input, limit: MessageLimits.labelBytes)),
                commitment: try reader.readEnrolmentBytes(in: input))
            guard request.isAllowed else { throw .outOfRange }
            self = .enrol(request)
        case (3, 1): self = .login(try reader.readCredential(in: input))
        case (4, 2):
            self = .loginWithPIN(
                pin: try reader.readPIN(in: input), deviceSecret: try reader.readDeviceSecret(in: input))
        case (5, 3):
            self = .storeCredential(
                pin: try reader.readPIN(in: input), deviceSecret: try reader.readDeviceSecret(in: input),
                credential: try reader.readCredential(in: input))
        case (6, 3):
            self = .changePIN(
                old: try reader.readPIN(in: input), new: try reader.readPIN(in: input),
                deviceSecret: try reader.readDeviceSecret(in: input))
        case (7, 0): self = .cancelLogin
        case (8, 0): self = .lock
        case (9, 0): self = .unlock
        case (10, 0): self = .logout
        case (11, 0): self = .status
        case (12, 1): self = .setAutoLogout(seconds: try reader.readSeconds(in: input))
        case (MessageHead.pingType, 1): self = .ping(try reader.readPing(in: input))
        case (14, 1): self = .reportSignal(dBm: try reader.readOptionalDBm(in: input))
        case (15, 2): self = .setThresholds(try reader.readThresholds(in: input))
        case (27, 0): self = .extend
        case (30, 2): self = .elevate(try reader.readElevationID(in: input), try reader.readCredential(in: input))
        case (31, 3):
            self = .elevateWithPIN(
                try reader.readElevationID(in: input), pin: try reader.readPIN(in: input),
                deviceSecret: try reader.readDeviceSecret(in: input))
        case (32, 1): self = .declineElevation(try reader.readElevationID(in: input))
        case (33, 1): self = .reveal(nonce: try reader.readEnrolmentBytes(in: input))
        case (34, 0): self = .enrolment
        case (39, 1): self = .carry(try reader.readCarried(in: input))
        case (43, 1):
            let limits = MessageLimits.siteNewsQuestionBytes
            let question = input.copy(try reader.readBytes(in: input, limit: limits.upperBound))
            guard limits.contains(question.count) else { throw .outOfRange }
            self = .siteNews(question)
        case (45, 1): self = .siteLogin(try reader.readSealedForSite(in: input))
        case (46, 2):
            self = .siteElevate(try reader.readElevationID(in: input), try reader.readSealedForSite(in: input))
        case (47, 1): self = .siteAsk(try reader.readSealedForSite(in: input))
        default: throw .unknown
        }
    }

    fileprivate func write(
        id: RequestID, with writer: inout CBORWriter, to output: inout MutableRawSpan
    ) throws(WireError) {
        switch self {
        case .hello(let versions, let capabilities, let grant):
            try writer.writeMessageHead(1, id: id, fields: grant == nil ? 2 : 3, to: &output)
            try writer.writeVersions(versions, to: &output)
            try writer.writeUnsigned(UInt64(capabilities.rawValue), to: &output)
            if let grant { try writer.writeShownGrant(grant, to: &output) }
        case .enrol(let request):
            guard request.isAllowed else { throw .outOfRange }
            try writer.writeMessageHead(2, id: id, fields: 2, to: &output)
            try writer.writeText(request.label, to: &output)
            try writer.writeEnrolmentBytes(request.commitment, to: &output)
        case .reveal(let nonce):
            try writer.writeMessageHead(33, id: id, fields: 1, to: &output)
            try writer.writeEnrolmentBytes(nonce, to: &output)
        case .enrolment: try writer.writeMessageHead(34, id: id, fields: 0, to: &output)
        case .carry(let bytes):
            try writer.writeMessageHead(39, id: id, fields: 1, to: &output)
            try writer.writeCarried(bytes, to: &output)
        case .login(let credential):
            try writer.writeMessageHead(3, id: id, fields: 1, to: &output)
            try writer.writeCredential(credential, to: &output)
        case .loginWithPIN(let pin, let deviceSecret):
            try writer.writeMessageHead(4, id: id, fields: 2, to: &output)
            try writer.writePIN(pin, to: &output)
            try writer.writeDeviceSecret(deviceSecret, to: &output)
        case .storeCredential(let pin, let deviceSecret, let credential):
            try writer.writeMessageHead(5, id: id, fields: 3, to: &output)
            try writer.writePIN(pin, to: &output)
            try writer.writeDeviceSecret(deviceSecret, to: &output)
            try writer.writeCredential(credential, to: &output)
        case .changePIN(let old, let new, let deviceSecret):
            try writer.writeMessageHead(6, id: id, fields: 3, to: &output)
            try writer.writePIN(old, to: &output)
            try writer.writePIN(new, to: &output)
            try writer.writeDeviceSecret(deviceSecret, to: &output)
        case .cancelLogin: try writer.writeMessageHead(7, id: id, fields: 0, to: &output)
        case .lock: try writer.writeMessageHead(8, id: id, fields: 0, to: &output)
        case .unlock: try writer.writeMessageHead(9, id: id, fields: 0, to: &output)
        case .logout: try writer.writeMessageHead(10, id: id, fields: 0, to: &output)
        case .status: try writer.writeMessageHead(11, id: id, fields: 0, to: &output)
        case .setAutoLogout(let seconds):
            guard seconds <= MessageLimits.durationSeconds else { throw .outOfRange }
            try writer.writeMessageHead(12, id: id, fields: 1, to: &output)
            try writer.writeUnsigned(UInt64(seconds), to: &output)
        case .ping(let bytes):
            try writer.writeMessageHead(MessageHead.pingType, id: id, fields: 1, to: &output)
            try writer.writePing(bytes, to: &output)
        case .reportSignal(let dBm):
            try writer.writeMessageHead(14, id: id, fields: 1, to: &output)
            try writer.writeOptionalDBm(dBm, to: &output)
        case .setThresholds(let thresholds):
            guard thresholds?.isAllowed ?? true else { throw .outOfRange }
            try writer.writeMessageHead(15, id: id, fields: 2, to: &output)
            try writer.writeOptionalDBm(thresholds?.nearDBm, to: &output)
            try writer.writeOptionalDBm(thresholds?.farDBm, to: &output)
        case .extend: try writer.writeMessageHead(27, id: id, fields: 0, to: &output)
        case .siteNews(let question):
            guard MessageLimits.siteNewsQuestionBytes.contains(question.count) else { throw .outOfRange }
            try writer.writeMessageHead(43, id: id, fields: 1, to: &output)
            try writer.writeBytes(question, to: &output)
        case .siteLogin, .siteElevate, .siteAsk: try writeForSite(id: id, with: &writer, to: &output)
        case .elevate, .elevateWithPIN, .declineElevation: try writeElevation(id: id, with: &writer, to: &output)
        }
    }
}

extension CBORReader {
    /// Reads ascending version numbers, so that one offer has one encoding.
    fileprivate mutating func readVersions(in input: RawSpan) throws(WireError) -> [UInt8] {
        let count = try readArrayHeader(in: input, limit: MessageLimits.offeredVersions)
        guard count >= 1 else { throw .outOfRange }
        var versions: [UInt8] = []
        for _ in 0..<count {
            let version = try readUInt8(in: input)
            guard version > versions.last ?? 0 else { throw .outOfRange }
            versions.append(version)
        }
        return versions
    }
}

extension CBORWriter {
    fileprivate mutating func writeVersions(
        _ versions: [UInt8], to output: inout MutableRawSpan
    ) throws(WireError) {
        guard !versions.isEmpty, versions.count <= MessageLimits.offeredVersions else { throw .outOfRange }
        try writeArrayHeader(versions.count, to: &output)
        var last: UInt8 = 0
        for version in versions {
            guard version > last else { throw .outOfRange }
            try writeUnsigned(UInt64(version), to: &output)
            last = version
        }
    }
}
