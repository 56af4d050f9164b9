import Vault

extension Agent {
    /// Writes to the audit log, and its head to the journal: that is what makes tampering evident (DESIGN section 7).
    func audit(_ kind: AuditEvent.Kind, user: [UInt8]? = nil, device: DeviceID? = nil, detail: String = "") async {
        do {
            let head = try await vault.append(
                AuditEvent(kind: kind, user: user, device: device, detail: Array(detail.utf8)))
            log.info("audit \(head.number) \(head.hex)")
        } catch {
            log.error("the audit log could not be written: \(error)")
        }
    }

    /// Does something in the vault whose failure changes nothing for the person, and logs it.
    @discardableResult
    func store(_ what: String, _ act: (BoxVault) async throws(VaultError) -> Void) async -> Bool {
        do {
            try await act(vault)
            return true
        } catch {
            log.error("\(what) could not be stored: \(error)")
            return false
        }
    }
}
