import Crypto
import Wire

/// What an authenticator says and signs: for which host, what it made sure of, how often it has signed; where a passkey is made,
/// also its key (WebAuthn Level 2 section 6.1).
struct AuthenticatorData {
    /// A new passkey: its id, and its key as 65 bytes, 4 and both coordinates (SEC 1 section 2.3.3).
    struct NewCredential: Equatable {
        let id: [UInt8]
        let key: [UInt8]
    }

    private static let headBytes = 37
    private static let (userPresent, userVerified): (UInt8, UInt8) = (1 << 0, 1 << 2)
    private static let (attested, extended): (UInt8, UInt8) = (1 << 6, 1 << 7)

    private let hostHash: [UInt8]
    private let flags: UInt8
    let counter: UInt32
    let credential: NewCredential?

    init(_ bytes: [UInt8]) throws(PasskeyError) {
        guard (Self.headBytes...PageLimits.authenticatorDataBytes).contains(bytes.count) else { throw .malformed }
        hostHash = Array(bytes[0..<32])
        flags = bytes[32]
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var offset = Self.headBytes
        if flags & Self.attested != 0 {
            (credential, offset) = try Self.readCredential(bytes, at: offset)
        } else {
            credential = nil
        }
        do throws(WireError) {
            try bytes.withRawSpan { input throws(WireError) in
                var reader = CBORReader(offset: offset)
                if flags & Self.extended != 0 { try reader.skip(in: input) }
                try reader.finish(in: input)
            }
        } catch {
            throw .malformed
        }
    }

    /// AAGUID (16), length of the id (2), id, key as CBOR; and where that ends.
    private static func readCredential(
        _ bytes: [UInt8], at start: Int
    ) throws(PasskeyError) -> (NewCredential, Int) {
        guard bytes.count >= start + 18 else { throw .malformed }
        let length = Int(bytes[start + 16]) << 8 | Int(bytes[start + 17])
        let end = start + 18 + length
        guard (1...PageLimits.credentialIDBytes).contains(length), end < bytes.count else { throw .malformed }
        let (key, next) = try P256KeyInCOSE.read(bytes, at: end)
        return (NewCredential(id: Array(bytes[start + 18..<end]), key: key), next)
    }

    /// Whether it is for `host`, with a person who was there and was recognised.
    func check(host: String) throws(PasskeyError) {
        guard Array(SHA256.hash(data: Array(host.utf8))) == hostHash else { throw .otherHost }
        guard flags & Self.userPresent != 0, flags & Self.userVerified != 0 else { throw .notVerified }
    }
}
