/// The name that starts the handshake hash (specification section 8), such as `Noise_IK_25519_XChaChaPoly_SHA256`.
enum ProtocolName {
    static func bytes(pattern: HandshakePattern, cipher: StaticString) -> [UInt8] {
        let parts: [StaticString] = ["Noise_", pattern.noiseName, "_25519_", cipher, "_SHA256"]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for part in parts {
            part.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
