import Secrets
import VaultPort

/// The box's own keys, sealed under the box secret. The first start makes them; only the digits may change later.
struct BoxIdentityRow {
    /// The four digits drawn at the first start.
    let drawnID: [UInt8]
    /// The digits that the administrator set; four to six.
    let configuredID: [UInt8]?
    /// The box's number in its site, while it belongs to one.
    let siteID: [UInt8]?
    /// Serial of the certificate; rises each time the digits change.
    let serial: UInt64
    private let staticKey: [UInt8]
    private let authoritySeed: [UInt8]

    private static let staticKeyPlace = SealedColumn(table: "box_identity", column: "static_key", row: [1])
    private static let authorityPlace = SealedColumn(table: "box_identity", column: "authority_seed", row: [1])

    /// The digits that people see.
    var boxID: [UInt8] { siteID ?? ownID }
    /// The digits that people see while the box belongs to no site.
    var ownID: [UInt8] { configuredID ?? drawnID }

    /// - Parameter configured: Four to six ASCII digits for the box; nil selects the drawn ones. A change raises the
    ///   serial in the same step, so that phones recognise the box with its new digits.
    /// - Parameter unixSeconds: Lower bound of the new serial, so that it also rises in a restored copy of the vault.
    static func loadOrMake(
        in file: borrowing VaultFile, configured: [UInt8]?, unixSeconds: Int64
    ) throws(VaultError) -> BoxIdentityRow {
        if try file.database.integer("SELECT count(*) FROM box_identity") == 0 { try make(in: file) }
        try settle(in: file, unixSeconds: unixSeconds)
        let row = try read(in: file)
        guard row.ownID != configured ?? row.drawnID else { return row }
        try file.database.run(
            "UPDATE box_identity SET configured_id = ?, serial = max(serial + 1, ?)", .optional(configured),
            .integer(unixSeconds))
        return try read(in: file)
    }

    /// Takes or drops the digits of the site's certificate, in the transaction that changes the site.
    static func settle(in file: borrowing VaultFile, unixSeconds: Int64) throws(VaultError) {
        // The digits follow version, tag and issuer of the certificate (docs/reference/site-protocol.md, 5).
        try file.database.run(
            """
            UPDATE box_identity SET site_id = (SELECT substr(certificate, 16, 6) FROM site), serial = max(serial + 1, ?)
            WHERE site_id IS NOT (SELECT substr(certificate, 16, 6) FROM site)
            """, .integer(unixSeconds))
    }

    static func read(in file: borrowing VaultFile) throws(VaultError) -> BoxIdentityRow {
        let row = try file.database.first(
            "SELECT box_id, configured_id, serial, static_key, authority_seed, site_id FROM box_identity"
        ) {
            BoxIdentityRow(
                drawnID: $0.bytes(0), configuredID: $0.optionalBytes(1), siteID: $0.optionalBytes(5),
                serial: UInt64(clamping: $0.integer(2)), staticKey: $0.bytes(3), authoritySeed: $0.bytes(4))
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
        // The number is an address for people, not a secret: 0000 to 9999 with equal probability.
        var number = 10_000
        while number >= 10_000 {
            let bytes = randomBytes(count: 2)
            // 2^16 is not a multiple of 10,000, so values above the last whole range are drawn again.
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
