import Secrets
import VaultPort

/// The place of a sealed value, which opens only there: ciphertexts cannot be moved (docs/decisions/008-vault.md).
struct SealedColumn {
    /// Part of the associated data. A schema that changes the meaning of a column must change this number.
    static let schemaVersion: UInt8 = 1

    let table: StaticString
    let column: StaticString
    let row: [UInt8]

    func seal(_ plaintext: borrowing SecretBytes, key: borrowing SecretBytes) throws(VaultError) -> [UInt8] {
        do {
            return try XChaChaPoly.seal(plaintext, key: key, associatedData: associatedData)
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns nil if the value does not open: the key is wrong, or bytes were moved or changed.
    func open(_ sealed: [UInt8], key: borrowing SecretBytes) -> SecretBytes? {
        try? XChaChaPoly.open(sealed, key: key, associatedData: associatedData)
    }

    private var associatedData: [UInt8] {
        var data: [UInt8] = []
        for part in [Array("\(table)".utf8), row, Array("\(column)".utf8), [Self.schemaVersion]] {
            // Each part has its length, so two places never give the same bytes.
            data += [UInt8(truncatingIfNeeded: part.count >> 8), UInt8(truncatingIfNeeded: part.count)] + part
        }
        return data
    }
}
