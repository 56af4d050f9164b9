import Names
import Wire

extension ElevationPrompt {
    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        id = try reader.readElevationID(in: input)
        service = input.copy(try reader.readText(in: input, limit: MessageLimits.labelBytes))
        terminal = input.copy(try reader.readText(in: input, limit: MessageLimits.labelBytes))
        requester = input.copy(try reader.readBytes(in: input, limit: UserName.byteLimit))
        seconds = try reader.readUInt32(in: input, limit: MessageLimits.elevationSeconds)
        guard isWellFormed else { throw .outOfRange }
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        guard isWellFormed else { throw .outOfRange }
        try writer.writeUnsigned(UInt64(id.rawValue), to: &output)
        try writer.writeText(service, to: &output)
        try writer.writeText(terminal, to: &output)
        try writer.writeBytes(requester, to: &output)
        try writer.writeUnsigned(UInt64(seconds), to: &output)
    }
}

extension CBORReader {
    mutating func readElevationID(in input: RawSpan) throws(WireError) -> ElevationID {
        guard let id = ElevationID(rawValue: try readUInt32(in: input, limit: .max)) else { throw .outOfRange }
        return id
    }
}

extension PhoneRequest {
    /// Writes the answers to an elevation request.
    func writeElevation(
        id: RequestID, with writer: inout CBORWriter, to output: inout MutableRawSpan
    ) throws(WireError) {
        switch self {
        case .elevate(let elevation, let credential):
            try writer.writeMessageHead(30, id: id, fields: 2, to: &output)
            try writer.writeUnsigned(UInt64(elevation.rawValue), to: &output)
            try writer.writeCredential(credential, to: &output)
        case .elevateWithPIN(let elevation, let pin, let deviceSecret):
            try writer.writeMessageHead(31, id: id, fields: 3, to: &output)
            try writer.writeUnsigned(UInt64(elevation.rawValue), to: &output)
            try writer.writePIN(pin, to: &output)
            try writer.writeDeviceSecret(deviceSecret, to: &output)
        case .declineElevation(let elevation):
            try writer.writeMessageHead(32, id: id, fields: 1, to: &output)
            try writer.writeUnsigned(UInt64(elevation.rawValue), to: &output)
        default: throw .unknown
        }
    }
}
