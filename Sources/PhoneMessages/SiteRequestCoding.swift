import Wire

extension PhoneRequest {
    /// Writes a request that the phone has sealed for its site.
    func writeForSite(
        id: RequestID, with writer: inout CBORWriter, to output: inout MutableRawSpan
    ) throws(WireError) {
        switch self {
        case .siteLogin(let sealed):
            try writer.writeMessageHead(45, id: id, fields: 1, to: &output)
            try writer.writeSealedForSite(sealed, to: &output)
        case .siteElevate(let elevation, let sealed):
            try writer.writeMessageHead(46, id: id, fields: 2, to: &output)
            try writer.writeUnsigned(UInt64(elevation.rawValue), to: &output)
            try writer.writeSealedForSite(sealed, to: &output)
        case .siteAsk(let sealed):
            try writer.writeMessageHead(47, id: id, fields: 1, to: &output)
            try writer.writeSealedForSite(sealed, to: &output)
        default: throw .unknown
        }
    }
}
