import Crypto
import Wire

/// Authenticator data: host, user checks, counter and a new passkey's key (WebAuthn Level 2 section 6.1).
struct AuthenticatorData {
    /// A new passkey: its id, and its key in 65 bytes, a 4 and both coordinates (SEC 1 section 2.3.3).
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

    /// Reads AAGUID (16), length of the id (2), id and key in CBOR. Also returns where they end.
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

    /// Throws unless the data is for `host` and the user was present and verified.
    func check(host: String) throws(PasskeyError) {
        guard Array(SHA256.hash(data: Array(host.utf8))) == hostHash else { throw .otherHost }
        guard flags & Self.userPresent != 0, flags & Self.userVerified != 0 else { throw .notVerified }
    }
}
