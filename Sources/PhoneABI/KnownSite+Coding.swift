import PhoneCore
import PhoneMessages
import SecureChannel
import VaultPort

/// A site of the host's store: id, the phone's public key there, document, grant, entry that revokes the grant, signed
/// status, entries of revoked boxes, keys of boxes that have the grant.
extension KnownSite {
    private static let fields = 8

    static func read(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> KnownSite {
        try reader.record(input, fields: fields) { reader throws(HostError) in try row(&reader, input) }
    }

    static func readAll(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> [KnownSite] {
        try reader.records(input, fields: fields, limit: HostLimits.sites) { reader throws(HostError) in
            try row(&reader, input)
        }
    }

    private static func row(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> KnownSite {
        func optional(_ reader: inout HostReader) throws(HostError) -> [UInt8]? {
            try reader.isNull(input) ? nil : try reader.bytes(input, limit: HostLimits.codeBytes)
        }
        return KnownSite(
            id: try reader.bytes(input, count: 16), phoneKey: try reader.bytes(input, count: 32),
            document: try reader.bytes(input, limit: HostLimits.codeBytes),
            grant: try reader.bytes(input, limit: HostLimits.codeBytes), entry: try optional(&reader),
            hasCredential: false, head: try optional(&reader),
            revokedBoxes: try reader.list(input, limit: HostLimits.revokedBoxes),
            holders: try reader.list(input, limit: KnownSite.holdersLimit))
    }
}
