#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

/// Agent → `boxagent`. On the wire `[kind, …]`. Listings send one reply an item; `done` or `failure` ends.
///
/// `enrolmentCode` carries the one-time secret: its bytes stay in the receive buffer.
public enum ControlReply: Equatable, Sendable {
    case done(text: [UInt8])
    /// What is wrong, and what to do next.
    case failure(FailureKind, what: [UInt8], cure: [UInt8])
    case status(AgentStatus)
    case identity(boxID: [UInt8], authorityKeyID: [UInt8], serial: UInt64)
    case enrolmentCode(uri: Range<Int>, validSeconds: UInt64)
    /// A phone has connected with the code.
    case enrolmentContact
    /// The phone that had connected went away, and the code with it: what was asked of it needs no answer any more. A
    /// failure follows.
    case enrolmentLost
    /// The digits that both sides show; the administrator compares and answers `confirmEnrolment` with them.
    case enrolmentDigits(digits: [UInt8], label: [UInt8])
    case enrolled(device: [UInt8], user: [UInt8])
    case device(DeviceListing)
    case auditEntry(AuditListing)
    case auditSegment(AuditSegmentListing)
    /// Who signs segments, and for which box: their public keys, 32 bytes each.
    case auditSigner(authority: [UInt8], box: [UInt8])
    case finding(Finding)
    /// A session, and what became of what was asked for it.
    case session(SessionListing)
    /// Something that the person in the session should read. Empty: what was said before holds no more.
    case notice(text: [UInt8])
    /// One phone of `explainPresence`.
    case presence(PresenceListing)
    /// A stage of `test-login`.
    case testStage(text: [UInt8])
    case greeter(GreeterState)
    /// The answer to `claimTap`: whether the tap was there and is this greeter's now.
    case tapClaimed(Bool)

    public static func decode(_ input: RawSpan) throws(WireError) -> ControlReply {
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        let reply = try decode(head.kind, head.fields, &reader, input)
        try reader.finish(in: input)
        return reply
    }

    private static func decode(
        _ kind: UInt64, _ fields: Int, _ reader: inout CBORReader, _ input: RawSpan
    ) throws(WireError) -> ControlReply {
        let text = AgentLimits.textBytes
        switch (kind, fields) {
        case (1, 1): return .done(text: try reader.readBoundedBytes(in: input, limit: text))
        case (2, 3):
            guard let kind = FailureKind(rawValue: try reader.readUnsigned(in: input)) else { throw .unknown }
            return .failure(
                kind, what: try reader.readBoundedBytes(in: input, limit: text),
                cure: try reader.readBoundedBytes(in: input, limit: text))
        case (3, 8): return .status(try AgentStatus(reading: input, with: &reader, hasActivity: false))
        case (3, 12): return .status(try AgentStatus(reading: input, with: &reader, hasActivity: true))
        case (4, 3):
            return .identity(
                boxID: try reader.readBoundedBytes(in: input, limit: text),
                authorityKeyID: try reader.readBoundedBytes(in: input, limit: text),
                serial: try reader.readUnsigned(in: input))
        case (5, 2):
            return .enrolmentCode(
                uri: try reader.readBytes(in: input, limit: text), validSeconds: try reader.readUnsigned(in: input))
        case (6, 0): return .enrolmentContact
        case (7, 2):
            return .enrolmentDigits(
                digits: try reader.readBoundedBytes(in: input, limit: text),
                label: try reader.readBoundedBytes(in: input, limit: text))
        case (8, 2):
            return .enrolled(
                device: try reader.readBoundedBytes(in: input, limit: text),
                user: try reader.readBoundedBytes(in: input, limit: text))
        case (9, 10): return .device(try DeviceListing(reading: input, with: &reader))
        case (10, AuditListing.fields): return .auditEntry(try AuditListing(reading: input, with: &reader))
        case (30, AuditSegmentListing.fields):
            return .auditSegment(try AuditSegmentListing(reading: input, with: &reader))
        case (31, 2):
            return .auditSigner(
                authority: try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes),
                box: try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes))
        case (11, 4): return .finding(try Finding(reading: input, with: &reader))
        case (13, 0): return .enrolmentLost
        case (20, 9): return .session(try SessionListing(reading: input, with: &reader))
        case (21, 1): return .notice(text: try reader.readBoundedBytes(in: input, limit: text))
        case (14, 6): return .greeter(try GreeterState(reading: input, with: &reader))
        case (15, 1): return .tapClaimed(try reader.readBool(in: input))
        case (16, PresenceListing.fields): return .presence(try PresenceListing(reading: input, with: &reader))
        case (12, 1): return .testStage(text: try reader.readBoundedBytes(in: input, limit: text))
        default: throw .unknown
        }
    }

    /// Encodes all but an enrolment code, which has `encodeEnrolmentCode`.
    public func encode(into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        switch self {
        case .done(let text):
            try writer.writeFields(1, [text], to: &output)
        case .failure(let kind, let what, let cure):
            try writer.writeMessageHead(2, fields: 3, to: &output)
            try writer.writeUnsigned(kind.rawValue, to: &output)
            try writer.writeBytes(what, to: &output)
            try writer.writeBytes(cure, to: &output)
        case .status(let status):
            try status.write(with: &writer, to: &output)
        case .identity(let boxID, let authorityKeyID, let serial):
            try writer.writeMessageHead(4, fields: 3, to: &output)
            try writer.writeBytes(boxID, to: &output)
            try writer.writeBytes(authorityKeyID, to: &output)
            try writer.writeUnsigned(serial, to: &output)
        case .enrolmentCode: throw .unknown
        case .enrolmentContact:
            try writer.writeFields(6, [], to: &output)
        case .enrolmentLost:
            try writer.writeFields(13, [], to: &output)
        case .enrolmentDigits(let digits, let label):
            try writer.writeFields(7, [digits, label], to: &output)
        case .enrolled(let device, let user):
            try writer.writeFields(8, [device, user], to: &output)
        case .device(let device):
            try device.write(with: &writer, to: &output)
        case .auditEntry(let entry):
            try entry.write(with: &writer, to: &output)
        case .auditSegment(let segment):
            try segment.write(with: &writer, to: &output)
        case .auditSigner(let authority, let box):
            try writer.writeFields(31, [authority, box], to: &output)
        case .finding(let finding):
            try finding.write(with: &writer, to: &output)
        case .session(let session):
            try session.write(with: &writer, to: &output)
        case .notice(let text):
            try writer.writeFields(21, [text], to: &output)
        case .presence(let phone):
            try phone.write(with: &writer, to: &output)
        case .testStage(let text):
            try writer.writeFields(12, [text], to: &output)
        case .greeter(let state):
            try state.write(with: &writer, to: &output)
        case .tapClaimed(let isClaimed):
            try writer.writeMessageHead(15, fields: 1, to: &output)
            try writer.writeBool(isClaimed, to: &output)
        }
        return writer.offset
    }

    /// Encodes an enrolment code into a buffer that the caller wipes.
    public static func encodeEnrolmentCode(
        uri: RawSpan, validSeconds: UInt64, into output: inout MutableRawSpan
    ) throws(WireError) -> Int {
        var writer = CBORWriter()
        try writer.writeMessageHead(5, fields: 2, to: &output)
        try writer.writeBytes(uri, to: &output)
        try writer.writeUnsigned(validSeconds, to: &output)
        return writer.offset
    }
}
