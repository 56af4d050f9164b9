import Crypto
import Foundation
import PageCore

/// An authenticator and its browser, every part of which a test can change.
struct TestAuthenticator {
    let key = P256.Signing.PrivateKey()
    let credentialID: [UInt8] = (0..<32).map { UInt8($0) }
    var host = "boxes.example.org"
    var origin = "https://boxes.example.org"
    var flags: UInt8 = 0b101
    var counter: UInt32 = 1
    var more = ""
    /// Bytes after all known data.
    var tail: [UInt8] = []

    var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    func client(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        Array(
            "{\"type\":\"\(type)\",\"challenge\":\"\(Base64URL.text(challenge))\",\"origin\":\"\(origin)\"\(more)}".utf8
        )
    }

    func data(_ attested: [UInt8] = []) -> [UInt8] {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * UInt32($0))) }
        let all = flags | (attested.isEmpty ? 0 : 1 << 6)
        return Array(SHA256.hash(data: Array(host.utf8))) + [all] + number + attested + tail
    }

    /// Returns AAGUID, id, and the key in COSE.
    func attested(key: [UInt8]? = nil, algorithm: UInt8 = 0x26) -> [UInt8] {
        let (id, key) = (credentialID, key ?? publicKey)
        return [UInt8](repeating: 0, count: 16) + [UInt8(id.count >> 8), UInt8(id.count & 255)] + id
            + [0xA5, 0x01, 0x02, 0x03, algorithm, 0x20, 0x01, 0x21, 0x58, 0x20] + key[1..<33] + [0x22, 0x58, 0x20]
            + key[33..<65]
    }

    /// Returns {"fmt": "none", "attStmt": {}, "authData": …}.
    func attestation(_ data: [UInt8]) -> [UInt8] {
        [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8) + [0x67] + Array("attStmt".utf8) + [0xA0, 0x68]
            + Array("authData".utf8) + [0x58, UInt8(data.count)] + data
    }

    func signature(_ data: [UInt8], _ client: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: data + Array(SHA256.hash(data: client))).derRepresentation)
    }

    func assertion(_ challenge: [UInt8], type: String = "webauthn.get") throws -> PasskeyAssertion {
        let (client, data) = (client(type, challenge), data())
        return try PasskeyAssertion(
            credentialID: credentialID, clientData: client, authenticatorData: data,
            signature: try signature(data, client))
    }
}

enum TestPlace {
    static func place() throws -> PasskeyPlace {
        struct NoOrigin: Error {}
        guard let origin = PageOrigin("https://boxes.example.org") else { throw NoOrigin() }
        return PasskeyPlace(origin)
    }
}
