import PhoneMessages
import Secrets
import SecureChannel

/// The keys and names of the document's vectors. No real phone or box may ever use them.
enum VectorKeys {
    static let boxID = Array("4711".utf8)
    static let user = Array("ana".utf8)
    static let label = Array("Ana's phone".utf8)
    static let serial: UInt64 = 1
    static let codeID = [UInt8](0xC0..<0xC8)
    static let deviceID = [UInt8](0x10..<0x20)

    /// Returns 32 bytes that count up from `first`.
    static func counting(from first: UInt8) -> [UInt8] { (0..<32).map { first &+ $0 } }

    static let authoritySeed = counting(from: 0x01)
    static let boxPrivate = counting(from: 0x21)
    static let phonePrivate = counting(from: 0x41)
    static let psk = counting(from: 0x61)
    static let phoneNonce = counting(from: 0x51)
    static let boxNonce = counting(from: 0x71)

    static func keyPair(_ privateKey: [UInt8]) throws -> X25519KeyPair {
        try X25519KeyPair(privateKey: SecretBytes(copying: privateKey))
    }

    static func authority() throws -> Ed25519KeyPair {
        try Ed25519KeyPair(seed: SecretBytes(copying: authoritySeed))
    }

    static func identity() throws -> BoxIdentity {
        let authority = try authority()
        let certificate = try BoxCertificate.issue(
            boxID: boxID, boxKey: try keyPair(boxPrivate).publicKey, serial: serial, authority: authority)
        return try BoxIdentity(certificate: certificate, authority: authority.publicKey)
    }

    static func enrolmentURI() throws -> String {
        let uri = try EnrolmentURI(
            authorityKey: try authority().publicKey, boxKey: try keyPair(boxPrivate).publicKey, codeID: codeID,
            psk: SecretBytes(copying: psk), boxID: boxID, user: user)
        return uri.format().withBytes { text in String(decoding: text.copyAll(), as: UTF8.self) }
    }
}

extension RawSpan {
    /// Returns all bytes, for vectors.
    func copyAll() -> [UInt8] { (0..<byteCount).map { unsafeLoad(fromByteOffset: $0, as: UInt8.self) } }
}

/// The named messages of one link, in order, in the form that Tests/Vectors/protocol.md prints.
struct Transcript {
    private var entries: [(name: String, bytes: [UInt8])] = []

    private static let bytesInLine = 48

    /// The lines of each entry: a name, and its bytes in indented lines.
    var lines: [String] {
        entries.flatMap { name, bytes in
            ["\(name):"]
                + stride(from: 0, to: bytes.count, by: Self.bytesInLine).map { start in
                    "  " + hex(Array(bytes[start..<min(start + Self.bytesInLine, bytes.count)]))
                }
        }
    }

    /// The segments alone, each with its sender.
    var segments: [String] {
        entries.filter { $0.name.hasSuffix(", segment") }.map { entry in
            (entry.name.hasPrefix("phone") ? "phone " : "box   ") + hex(entry.bytes)
        }
    }

    mutating func add(_ name: String, _ bytes: [UInt8]) {
        entries.append((name, bytes))
    }
}
