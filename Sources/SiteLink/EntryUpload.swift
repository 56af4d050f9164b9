import SiteTrust

/// Decides which messages an admitted box may send. A box sends entries only on request, and no more than a revocation
/// set holds: each entry costs its site one signature check.
struct EntryUpload {
    /// The number of requested uploads that are not finished.
    private var wanted = 0
    /// The number of entries in the current upload.
    private var entries = 0

    /// Call this when the site asks for all entries.
    mutating func want() { wanted += 1 }

    /// Throws `protocolViolation` for a message that is not allowed now.
    mutating func check(_ message: MessageToSite) throws(SiteLinkError) {
        switch message {
        case .hello: throw .protocolViolation
        case .entries(let more):
            entries += more.count
            guard wanted > 0, entries <= RevocationSet.entryLimit else { throw .protocolViolation }
        case .entriesEnd:
            guard wanted > 0 else { throw .protocolViolation }
            wanted -= 1
            entries = 0
        case .head: guard wanted > 0 else { throw .protocolViolation }
        case .differs, .took, .leaving, .renew, .carry, .endCarry, .ask, .enrolSelf: break
        }
    }
}
