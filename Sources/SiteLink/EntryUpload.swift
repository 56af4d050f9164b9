import SiteTrust

/// Which messages a box that was let in may send: entries are asked for, and are no more than a set has. Each costs its site a
/// signature to look at.
struct EntryUpload {
    /// Uploads that were asked for and are not over.
    private var wanted = 0
    /// Entries of the upload that goes on.
    private var entries = 0

    /// The site asks for all entries.
    mutating func want() { wanted += 1 }

    /// Throws `protocolViolation` for what is not due.
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
