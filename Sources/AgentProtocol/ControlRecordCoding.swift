#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

extension CBORWriter {
    /// The head of a message of `count` fields, and the first of them; all, where no count is given.
    mutating func writeFields(
        _ kind: UInt64, count: Int? = nil, _ first: [[UInt8]], to output: inout MutableRawSpan
    ) throws(WireError) {
        try writeMessageHead(kind, fields: count ?? first.count, to: &output)
        for field in first {
            try writeBytes(field, to: &output)
        }
    }
}

extension AgentStatus {
    init(
        reading input: RawSpan, with reader: inout CBORReader, hasActivity: Bool
    ) throws(WireError) {
        boxID = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        radio = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        radioState = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
        uptimeSeconds = try reader.readUnsigned(in: input)
        devicesActive = try reader.readUnsigned(in: input)
        if hasActivity {
            var activity = AgentActivity()
            activity.linksOpen = try reader.readUnsigned(in: input)
            activity.channelsAuthenticated = try reader.readUnsigned(in: input)
            activity.programsWaiting = try reader.readUnsigned(in: input)
            activity.tapHeld = try reader.readBool(in: input)
            self.activity = activity
        }
        sessionsOwned = try reader.readUnsigned(in: input)
        enrolmentOpen = try reader.readBool(in: input)
        failuresUnauthenticated = try reader.readUnsigned(in: input)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeFields(3, count: activity == nil ? 8 : 12, [boxID, radio, radioState], to: &output)
        try writer.writeUnsigned(uptimeSeconds, to: &output)
        try writer.writeUnsigned(devicesActive, to: &output)
        if let activity {
            try writer.writeUnsigned(activity.linksOpen, to: &output)
            try writer.writeUnsigned(activity.channelsAuthenticated, to: &output)
            try writer.writeUnsigned(activity.programsWaiting, to: &output)
            try writer.writeBool(activity.tapHeld, to: &output)
        }
        try writer.writeUnsigned(sessionsOwned, to: &output)
        try writer.writeBool(enrolmentOpen, to: &output)
        try writer.writeUnsigned(failuresUnauthenticated, to: &output)
    }
}

extension DeviceListing {
    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        id = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        user = try reader.readBoundedBytes(in: input, limit: AgentLimits.userBytes)
        label = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        boxHeld = try reader.readBool(in: input)
        guard let state = State(rawValue: try reader.readUnsigned(in: input)) else { throw .unknown }
        self.state = state
        enrolledUnixSeconds = try reader.readUnsigned(in: input)
        lastUsedUnixSeconds = try reader.readOptionalUnsigned(in: input, limit: .max)
        connected = try reader.readBool(in: input)
        pinAttemptsLeft = try reader.readOptionalUnsigned(in: input, limit: 255)
        credentialStale = try reader.readBool(in: input)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeFields(9, count: 10, [id, user, label], to: &output)
        try writer.writeBool(boxHeld, to: &output)
        try writer.writeUnsigned(state.rawValue, to: &output)
        try writer.writeUnsigned(enrolledUnixSeconds, to: &output)
        try writer.writeOptionalUnsigned(lastUsedUnixSeconds, to: &output)
        try writer.writeBool(connected, to: &output)
        try writer.writeOptionalUnsigned(pinAttemptsLeft, to: &output)
        try writer.writeBool(credentialStale, to: &output)
    }
}

extension Finding {
    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        guard let level = Level(rawValue: try reader.readUnsigned(in: input)) else { throw .unknown }
        self.level = level
        name = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        text = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
        cure = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeMessageHead(11, fields: 4, to: &output)
        try writer.writeUnsigned(level.rawValue, to: &output)
        try writer.writeBytes(name, to: &output)
        try writer.writeBytes(text, to: &output)
        try writer.writeBytes(cure, to: &output)
    }
}
