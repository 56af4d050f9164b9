import Wire

/// The messages from a site, or about it: types 37, 38, 40 to 42 and 44 (docs/reference/protocol.md, section 8).
extension BoxMessage {
    static func ofSite(
        reading input: RawSpan, with reader: inout CBORReader, head: MessageHead
    ) throws(WireError) -> BoxMessage {
        switch (head.type, head.fields) {
        case (37, 1):
            try head.requireNoRequest()
            let entry = input.copy(try reader.readBytes(in: input, limit: MessageLimits.siteEntryBytes))
            guard entry.count == MessageLimits.siteEntryBytes else { throw .outOfRange }
            return .siteEntry(entry)
        case (38, 1):
            try head.requireNoRequest()
            let grant = try reader.readShownGrant(in: input)
            guard case .whole(let bytes) = grant else { throw .outOfRange }
            return .siteGrant(bytes)
        case (40, 1):
            try head.requireNoRequest()
            return .carried(try reader.readCarried(in: input))
        case (41, 1): return .siteDocument(try head.requestID(), try reader.readSiteDocument(in: input))
        case (42, 1):
            let grant = try reader.readShownGrant(in: input)
            guard case .whole(let bytes) = grant else { throw .outOfRange }
            return .siteEnrolled(try head.requestID(), bytes)
        case (44, 2):
            try head.requireNoRequest()
            let kind: SiteNewsKind = try reader.readEnumeration(in: input)
            let limits = MessageLimits.siteNewsBytes
            let bytes = input.copy(try reader.readBytes(in: input, limit: limits.upperBound))
            guard limits.contains(bytes.count) else { throw .outOfRange }
            return .siteNews(kind, bytes)
        default: throw .unknown
        }
    }

    func writeOfSite(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        switch self {
        case .siteEntry(let entry):
            guard entry.count == MessageLimits.siteEntryBytes else { throw .outOfRange }
            try writer.writeMessageHead(37, id: nil, fields: 1, to: &output)
            try writer.writeBytes(entry, to: &output)
        case .siteGrant(let grant): try writer.writeGrant(38, nil, grant, to: &output)
        case .carried(let bytes):
            try writer.writeMessageHead(40, id: nil, fields: 1, to: &output)
            try writer.writeCarried(bytes, to: &output)
        case .siteDocument(let id, let bytes):
            try writer.writeMessageHead(41, id: id, fields: 1, to: &output)
            try writer.writeSiteDocument(bytes, to: &output)
        case .siteEnrolled(let id, let grant): try writer.writeGrant(42, id, grant, to: &output)
        case .siteNews(let kind, let bytes):
            guard MessageLimits.siteNewsBytes.contains(bytes.count) else { throw .outOfRange }
            try writer.writeMessageHead(44, id: nil, fields: 2, to: &output)
            try writer.writeUnsigned(UInt64(kind.rawValue), to: &output)
            try writer.writeBytes(bytes, to: &output)
        default: break
        }
    }
}

extension CBORWriter {
    fileprivate mutating func writeGrant(
        _ type: UInt64, _ id: RequestID?, _ grant: [UInt8], to output: inout MutableRawSpan
    ) throws(WireError) {
        guard ShownGrant.grantBytes.contains(grant.count) else { throw .outOfRange }
        try writeMessageHead(type, id: id, fields: 1, to: &output)
        try writeBytes(grant, to: &output)
    }
}
