import Secrets
import SecureChannel

/// Fixed keys, so an input means the same in every run.
enum FuzzKeys {
    static func secret(_ fill: UInt8) -> SecretBytes { SecretBytes(copying: [UInt8](repeating: fill, count: 32)) }

    static func keyPair(_ fill: UInt8) -> X25519KeyPair {
        guard let pair = try? X25519KeyPair(privateKey: secret(fill)) else {
            preconditionFailure("a private key of 32 bytes")
        }
        return pair
    }

    static let boxPublic = keyPair(2).publicKey
    static let codeID = [UInt8](repeating: 9, count: 8)

    static let (authority, identity): ([UInt8], [UInt8]) = {
        do {
            let authority = try Ed25519KeyPair(seed: secret(1))
            let certificate = try BoxCertificate.issue(
                boxID: Array("4711".utf8), boxKey: boxPublic, serial: 1, authority: authority)
            return (
                authority.publicKey, try BoxIdentity(certificate: certificate, authority: authority.publicKey).bytes
            )
        } catch {
            preconditionFailure("the fixed keys make an identity: \(error)")
        }
    }()

    static let channelPrologue = HandshakePrologue.channel(binding: [1, 0, 0], identity: identity).bytes
    static let enrolPrologue = HandshakePrologue.enrol(binding: [1, 0, 0], identity: identity, codeID: codeID).bytes

    /// Returns a phone's first step, which is always the same.
    static func phone(enrolling: Bool) throws -> InitiatorStep<XChaChaPoly> {
        let key = keyPair(3)
        if enrolling {
            let start = try InitiatorStart<XChaChaPoly>(
                prologue: enrolPrologue, staticKey: key, remoteStatic: boxPublic, psk: secret(4))
            return try start.writeMessage1(ephemeral: keyPair(5))
        }
        let start = try InitiatorStart<XChaChaPoly>(
            prologue: channelPrologue, staticKey: key, remoteStatic: boxPublic)
        return try start.writeMessage1(ephemeral: keyPair(5))
    }

    /// Returns the box's answer to a first message. The same message always gets the same answer.
    static func box(_ first: FirstMessage) throws -> ResponderStep<XChaChaPoly> {
        let ready: ResponderReady<XChaChaPoly>
        switch first {
        case .channel(let message1):
            ready = try ResponderStart(prologue: channelPrologue, staticKey: keyPair(2)).readMessage1(message1)
        case .enrol(_, let message1):
            ready = try ResponderStart(prologue: enrolPrologue, staticKey: keyPair(2), psk: secret(4))
                .readMessage1(message1)
        }
        return try ready.writeMessage2(ephemeral: keyPair(6), now: .zero)
    }

    static func first(enrolling: Bool) throws -> FirstMessage {
        let message1 = try phone(enrolling: enrolling).message
        return enrolling ? .enrol(codeID: codeID, message1: message1) : .channel(message1: message1)
    }

    /// Returns `valid` as changed by the input: exclusive-or where both have bytes, then longer or shorter. An input of
    /// zeros thus yields the valid message, and the fuzzer reaches the code after the checks.
    static func changed(_ valid: [UInt8], by input: ArraySlice<UInt8>) -> [UInt8] {
        var message = valid
        for (index, change) in zip(message.indices, input) { message[index] ^= change }
        let rest = input.dropFirst(valid.count)
        if let cut = rest.first {
            message = cut < 128 ? message + rest.dropFirst() : Array(message.dropLast(Int(cut) - 127))
        }
        return message
    }
}
