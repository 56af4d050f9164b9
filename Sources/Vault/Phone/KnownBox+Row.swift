import Names
import VaultPort

extension KnownBox {
    /// Reads a row of id, box_id, box_key, authority_key, highest_serial, user, label, mode, confirmed, whether a
    /// credential exists, whether a device secret exists, usual_address.
    convenience init(_ row: borrowing Statement) throws(VaultError) {
        guard let mode = UInt8(exactly: row.integer(7)).flatMap(CredentialMode.init(rawValue:)) else {
            throw .damaged(keptAs: row.path)
        }
        self.init(
            id: row.bytes(0), boxID: row.bytes(1), boxKey: row.bytes(2), authorityKey: row.bytes(3),
            highestSerial: UInt64(clamping: row.integer(4)), user: row.bytes(5), label: row.bytes(6), mode: mode,
            confirmed: row.integer(8) == 1, hasCredential: row.integer(9) == 1, hasDeviceSecret: row.integer(10) == 1,
            usualAddress: row.bytes(11))
    }
}
