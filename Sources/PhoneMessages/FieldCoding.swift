import Secrets
import Wire

/// The head of every message: an array whose first two elements are its type and the id of its request.
struct MessageHead {
    let type: UInt64
    /// 0 in pushed messages.
    let id: UInt32
    /// The number of elements that follow.
    let fields: Int

    /// The two types of messages that may be longer than `MessageLimits.messageBytes`.
    static let pingType: UInt64 = 13
    static let pongType: UInt64 = 24

    /// Returns the id of the request. Throws if the id is 0, as in a pushed message.
    func requestID() throws(WireError) -> RequestID {
        guard let id = RequestID(rawValue: id) else { throw .outOfRange }
        return id
    }

    func requireNoRequest() throws(WireError) {
        guard id == 0 else { throw .outOfRange }
    }
}

extension CBORReader {
    mutating func readMessageHead(in input: RawSpan) throws(WireError) -> MessageHead {
        guard input.byteCount <= MessageLimits.pingMessageBytes else { throw .tooLarge }
        let count = try readArrayHeader(in: input, limit: 16)
        guard count >= 2 else { throw .unexpectedType }
        let type = try readUnsigned(in: input)
        guard
            input.byteCount <= MessageLimits.messageBytes || type == MessageHead.pingType
                || type == MessageHead.pongType
        else { throw .tooLarge }
        let id = try readUInt32(in: input, limit: .max)
        return MessageHead(type: type, id: id, fields: count - 2)
    }

    mutating func readUInt32(in input: RawSpan, limit: UInt32) throws(WireError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readUnsigned(in: input, limit: UInt64(limit)))
    }

    mutating func readUInt8(in input: RawSpan, limit: UInt8 = .max) throws(WireError) -> UInt8 {
        UInt8(truncatingIfNeeded: try readUnsigned(in: input, limit: UInt64(limit)))
    }

    mutating func readSeconds(in input: RawSpan) throws(WireError) -> UInt32 {
        try readUInt32(in: input, limit: MessageLimits.durationSeconds)
    }

    mutating func readOptionalSeconds(in input: RawSpan) throws(WireError) -> UInt32? {
        if try readNull(in: input) { return nil }
        return try readSeconds(in: input)
    }

    mutating func readOptionalAttempts(in input: RawSpan) throws(WireError) -> UInt8? {
        if try readNull(in: input) { return nil }
        return try readUInt8(in: input, limit: PINRules.attempts)
    }

    /// Reads a value of an enumeration. Throws `unknown` for a number without a case.
    mutating func readEnumeration<Value: RawRepresentable<UInt8>>(in input: RawSpan) throws(WireError) -> Value {
        let number = try readUnsigned(in: input)
        guard let raw = UInt8(exactly: number), let value = Value(rawValue: raw) else { throw .unknown }
        return value
    }

    mutating func readCredential(in input: RawSpan) throws(WireError) -> HeldSecret {
        let range = try readBytes(in: input, limit: CredentialRules.bytes.upperBound)
        let bytes = input.extracting(range)
        do throws(CredentialRuleViolation) { try CredentialRules.check(bytes) } catch { throw .outOfRange }
        return HeldSecret(SecretBytes(copying: bytes))
    }

    mutating func readPIN(in input: RawSpan) throws(WireError) -> HeldSecret {
        let range = try readText(in: input, limit: PINRules.bytes)
        let bytes = input.extracting(range)
        do throws(PINRuleViolation) { try PINRules.check(bytes) } catch { throw .outOfRange }
        return HeldSecret(SecretBytes(copying: bytes))
    }

    mutating func readPing(in input: RawSpan) throws(WireError) -> [UInt8] {
        input.copy(try readBytes(in: input, limit: MessageLimits.pingBytes))
    }

    /// Reads a commitment or a nonce.
    mutating func readEnrolmentBytes(in input: RawSpan) throws(WireError) -> [UInt8] {
        let range = try readBytes(in: input, limit: MessageLimits.enrolmentBytes)
        guard range.count == MessageLimits.enrolmentBytes else { throw .outOfRange }
        return input.copy(range)
    }

    /// Reads a grant or its hash. The length distinguishes the two.
    mutating func readShownGrant(in input: RawSpan) throws(WireError) -> ShownGrant {
        let bytes = input.copy(try readBytes(in: input, limit: ShownGrant.grantBytes.upperBound))
        guard let grant = ShownGrant(bytes) else { throw .outOfRange }
        return grant
    }

    /// Reads bytes that a box passes on without reading them.
    mutating func readCarried(in input: RawSpan) throws(WireError) -> [UInt8] {
        let range = try readBytes(in: input, limit: MessageLimits.carriedBytes)
        guard !range.isEmpty else { throw .outOfRange }
        return input.copy(range)
    }

    mutating func readSiteDocument(in input: RawSpan) throws(WireError) -> [UInt8] {
        let range = try readBytes(in: input, limit: MessageLimits.siteDocumentBytes.upperBound)
        guard MessageLimits.siteDocumentBytes.contains(range.count) else { throw .outOfRange }
        return input.copy(range)
    }

    mutating func readSealedForSite(in input: RawSpan) throws(WireError) -> [UInt8] {
        let range = try readBytes(in: input, limit: MessageLimits.messageBytes)
        guard MessageLimits.sealedForSite.contains(range.count) else { throw .outOfRange }
        return input.copy(range)
    }

    mutating func readDeviceSecret(in input: RawSpan) throws(WireError) -> HeldSecret {
        let range = try readBytes(in: input, limit: MessageLimits.deviceSecretBytes)
        guard range.count == MessageLimits.deviceSecretBytes else { throw .outOfRange }
        return HeldSecret(SecretBytes(copying: input.extracting(range)))
    }
}

extension CBORWriter {
    mutating func writeMessageHead(
        _ type: UInt64, id: RequestID?, fields: Int, to output: inout MutableRawSpan
    ) throws(WireError) {
        try writeArrayHeader(fields + 2, to: &output)
        try writeUnsigned(type, to: &output)
        try writeUnsigned(UInt64(id?.rawValue ?? 0), to: &output)
    }

    mutating func writeOptional<Number: UnsignedInteger>(
        _ value: Number?, to output: inout MutableRawSpan
    ) throws(WireError) {
        guard let value else { return try writeNull(to: &output) }
        try writeUnsigned(UInt64(value), to: &output)
    }

    mutating func writeCredential(_ secret: HeldSecret, to output: inout MutableRawSpan) throws(WireError) {
        var next = self
        try secret.bytes.withBytes { bytes throws(WireError) in
            do throws(CredentialRuleViolation) { try CredentialRules.check(bytes) } catch { throw .outOfRange }
            try next.writeBytes(bytes, to: &output)
        }
        self = next
    }

    mutating func writePIN(_ secret: HeldSecret, to output: inout MutableRawSpan) throws(WireError) {
        var next = self
        try secret.bytes.withBytes { bytes throws(WireError) in
            do throws(PINRuleViolation) { try PINRules.check(bytes) } catch { throw .outOfRange }
            try next.writeText(bytes, to: &output)
        }
        self = next
    }

    mutating func writePing(_ bytes: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        guard bytes.count <= MessageLimits.pingBytes else { throw .outOfRange }
        try writeBytes(bytes, to: &output)
    }

    mutating func writeEnrolmentBytes(_ bytes: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        guard bytes.count == MessageLimits.enrolmentBytes else { throw .outOfRange }
        try writeBytes(bytes, to: &output)
    }

    mutating func writeShownGrant(_ grant: ShownGrant, to output: inout MutableRawSpan) throws(WireError) {
        // The length must distinguish a grant from a hash.
        guard ShownGrant(grant.bytes) == grant else { throw .outOfRange }
        try writeBytes(grant.bytes, to: &output)
    }

    mutating func writeCarried(_ bytes: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        guard (1...MessageLimits.carriedBytes).contains(bytes.count) else { throw .outOfRange }
        try writeBytes(bytes, to: &output)
    }

    mutating func writeSiteDocument(_ bytes: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        guard MessageLimits.siteDocumentBytes.contains(bytes.count) else { throw .outOfRange }
        try writeBytes(bytes, to: &output)
    }

    mutating func writeSealedForSite(_ sealed: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        guard MessageLimits.sealedForSite.contains(sealed.count) else { throw .outOfRange }
        try writeBytes(sealed, to: &output)
    }

    mutating func writeDeviceSecret(_ secret: HeldSecret, to output: inout MutableRawSpan) throws(WireError) {
        guard secret.count == MessageLimits.deviceSecretBytes else { throw .outOfRange }
        var next = self
        try secret.bytes.withBytes { bytes throws(WireError) in try next.writeBytes(bytes, to: &output) }
        self = next
    }
}
