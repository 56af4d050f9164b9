import Secrets
import VaultPort

/// Where a sealed value belongs: it opens in this place only, so that a ciphertext cannot be moved
/// (docs/decisions/008-vault.md).
struct SealedColumn {
    /// Part of the associated data; a schema that changes what a column means changes this.
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

    /// Nil when the value does not open: a wrong key, or bytes that were moved or changed.
    func open(_ sealed: [UInt8], key: borrowing SecretBytes) -> SecretBytes? {
        try? XChaChaPoly.open(sealed, key: key, associatedData: associatedData)
    }

    private var associatedData: [UInt8] {
        var data: [UInt8] = []
        for part in [Array("\(table)".utf8), row, Array("\(column)".utf8), [Self.schemaVersion]] {
            // Each part with its length: no two places share their bytes.
            data += [UInt8(truncatingIfNeeded: part.count >> 8), UInt8(truncatingIfNeeded: part.count)] + part
        }
        return data
    }
}
