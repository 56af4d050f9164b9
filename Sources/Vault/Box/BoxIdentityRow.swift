import Secrets

/// The box's own keys, sealed under the box secret. Made at the first start and never changed.
struct BoxIdentityRow {
    let boxID: [UInt8]
    let serial: UInt64
    private let staticKey: [UInt8]
    private let authoritySeed: [UInt8]

    private static let staticKeyPlace = SealedColumn(table: "box_identity", column: "static_key", row: [1])
    private static let authorityPlace = SealedColumn(table: "box_identity", column: "authority_seed", row: [1])

    /// The box's four digits.
    static func loadOrMake(in file: borrowing VaultFile) throws(VaultError) -> [UInt8] {
        if try file.database.integer("SELECT count(*) FROM box_identity") == 0 { try make(in: file) }
        return try read(in: file).boxID
    }

    static func read(in file: borrowing VaultFile) throws(VaultError) -> BoxIdentityRow {
        let row = try file.database.first("SELECT box_id, serial, static_key, authority_seed FROM box_identity") {
            BoxIdentityRow(
                boxID: $0.bytes(0), serial: UInt64(clamping: $0.integer(1)), staticKey: $0.bytes(2),
                authoritySeed: $0.bytes(3))
        }
        guard let row else { throw .damaged(keptAs: file.database.path) }
        return row
    }

    func openStaticKey(_ key: borrowing SecretBytes) throws(VaultError) -> SecretBytes {
        guard let opened = Self.staticKeyPlace.open(staticKey, key: key) else { throw .wrongKey(what: "the box's key") }
        return opened
    }

    func openAuthoritySeed(_ key: borrowing SecretBytes) throws(VaultError) -> SecretBytes {
        guard let opened = Self.authorityPlace.open(authoritySeed, key: key) else {
            throw .wrongKey(what: "the authority's key")
        }
        return opened
    }

    private static func make(in file: borrowing VaultFile) throws(VaultError) {
        // An address for people, not a secret: 0000 to 9999 with equal chance.
        var number = 10_000
        while number >= 10_000 {
            let bytes = randomBytes(count: 2)
            // 2^16 is no multiple of 10,000: what lies above the last whole range is drawn again.
            let draw = Int(bytes[0]) << 8 | Int(bytes[1])
            number = draw < 60_000 ? draw % 10_000 : 10_000
        }
        let digits = [1_000, 100, 10, 1].map { UInt8(0x30 + number / $0 % 10) }
        let staticKey = try staticKeyPlace.seal(SecretBytes(randomCount: 32), key: file.sealingKey)
        let seed = try authorityPlace.seal(SecretBytes(randomCount: 32), key: file.sealingKey)
        try file.database.run(
            "INSERT INTO box_identity (id, box_id, serial, static_key, authority_seed) VALUES (1, ?, 1, ?, ?)",
            .blob(digits), .blob(staticKey), .blob(seed))
    }
}
