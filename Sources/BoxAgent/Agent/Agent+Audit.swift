import Vault

extension Agent {
    /// Writes to the audit log, and its head to the journal: that is what makes tampering evident (DESIGN section 7).
    func audit(_ kind: AuditEvent.Kind, user: [UInt8]? = nil, device: DeviceID? = nil, detail: String = "") async {
        do {
            let head = try await vault.append(
                AuditEvent(kind: kind, user: user, device: device, detail: Array(detail.utf8)))
            publish(head)
        } catch {
            log.error("the audit log could not be written: \(error)")
        }
    }

    /// To the journal.
    func publish(_ head: AuditHead) {
        log.info("audit \(head.number) \(head.hex)")
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

    /// Reads something from the vault; `unknown` where it cannot be read, which is logged.
    func read<Value: Sendable>(
        _ what: String, unknown: Value, _ act: (BoxVault) async throws(VaultError) -> Value
    ) async -> Value {
        do {
            return try await act(vault)
        } catch {
            log.error("\(what) could not be read: \(error); run 'boxagent doctor'")
            return unknown
        }
    }
}
