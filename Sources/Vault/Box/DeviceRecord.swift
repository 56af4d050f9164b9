import Names
import VaultPort

extension DeviceRecord {
    /// Reads a row of id, public_key, user, label, mode, state, enrolled_at, last_used_at, web, site.
    init(_ row: borrowing Statement) throws(VaultError) {
        guard let id = DeviceID(bytes: row.bytes(0)), let mode = CredentialMode(stored: row.integer(4)),
            let state = State(rawValue: row.integer(5))
        else { throw .damaged(keptAs: row.path) }
        self.init(
            id: id, publicKey: row.bytes(1), user: row.bytes(2), label: row.bytes(3), mode: mode,
            isWeb: row.integer(8) != 0, isOfSite: row.integer(9) != 0,
            state: state, enrolledAt: row.integer(6), lastUsedAt: row.optionalInteger(7))
    }
}
