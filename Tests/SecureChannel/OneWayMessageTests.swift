import Secrets
import Testing

@testable import SecureChannel

@Suite("One message to a known key, through somebody else's hands")
final class OneWayMessageTests {
    private typealias Message = OneWayMessage<XChaChaPoly>
    private let phone = X25519KeyPair()
    private let site = X25519KeyPair()
    private let prologue: [UInt8] = [1, 2, 3]
    private let content: [UInt8] = Array("device secret and PIN".utf8)

    private func sealed() throws -> [UInt8] {
        try Message.seal(SecretBytes(copying: content), prologue: prologue, from: phone, to: site.publicKey)
    }

    private func refusal(of message: [UInt8], prologue: [UInt8]? = nil, by receiver: borrowing X25519KeyPair)
        -> HandshakeError?
    {
        do throws(HandshakeError) {
            _ = try Message.open(message, prologue: prologue ?? self.prologue, with: receiver)
            return nil
        } catch {
            return error
        }
    }

    @Test("The receiver reads it, and learns whose key has made it")
    func opens() throws {
        let message = try sealed()
        #expect(message.count == content.count + Message.overheadBytes)
        let opened = try Message.open(message, prologue: prologue, with: site)
        let isSame = opened.content.isEqual(to: SecretBytes(copying: content))
        #expect(opened.sender == phone.publicKey && isSame)
    }

    @Test("Two messages of the same content have nothing in common")
    func differs() throws {
        let (one, other) = (try sealed(), try sealed())
        #expect(!zip(one, other).contains { $0 == $1 } || one != other)
        #expect(one.prefix(32) != other.prefix(32))
    }

    @Test("Whatever was changed, or is for another key or prologue, opens nowhere")
    func refused() throws {
        let message = try sealed()
        for index in message.indices {
            var changed = message
            changed[index] ^= 1
            #expect(refusal(of: changed, by: site) != nil, "byte \(index)")
        }
        #expect(refusal(of: message, prologue: [1, 2, 4], by: site) == .authenticationFailed)
        #expect(refusal(of: message, by: X25519KeyPair()) == .authenticationFailed)
        #expect(refusal(of: message, by: phone) == .authenticationFailed)
    }

    @Test("A message of another length is none")
    func lengths() throws {
        let message = try sealed()
        for count in [0, 31, 32, 95, message.count - 1] {
            #expect(refusal(of: [UInt8](message.prefix(count)), by: site) != nil)
        }
        #expect(refusal(of: message + [0], by: site) == .authenticationFailed)
        #expect(refusal(of: [UInt8](repeating: 0, count: 65_536), by: site) == .wrongLength)
        #expect(throws: HandshakeError.wrongLength) {
            try Message.seal(
                SecretBytes(count: 65_535 - Message.overheadBytes + 1), prologue: prologue, from: phone,
                to: site.publicKey)
        }
    }

    @Test("A key of low order is neither sealed to nor opened from")
    func lowOrder() throws {
        #expect(throws: HandshakeError.invalidPublicKey) {
            try Message.seal(
                SecretBytes(copying: content), prologue: prologue, from: phone, to: [UInt8](repeating: 0, count: 32))
        }
        var message = try sealed()
        message.replaceSubrange(0..<32, with: [UInt8](repeating: 0, count: 32))
        #expect(refusal(of: message, by: site) == .invalidPublicKey)
    }

    @Test("A second encoding of the sender's key, well sealed, is not opened")
    func secondEncoding() throws {
        var key = phone.publicKey
        key[31] |= 0x80
        let receiver = site.publicKey
        var attacker = try HandshakeState<XChaChaPoly>(
            pattern: .x, prologue: prologue, staticKey: phone, responderStatic: receiver, arena: SecretArena())
        var message: [UInt8] = []
        attacker.writeEphemeral(nil, to: &message)
        try attacker.mixAgreement(KeySlots.ephemeralKey, with: receiver.span.bytes)
        try attacker.write(key, to: &message)
        try attacker.mixAgreement(KeySlots.staticKey, with: receiver.span.bytes)
        try attacker.write(SecretBytes(copying: content), to: &message)
        #expect(refusal(of: message, by: site) == .invalidPublicKey)
    }
}
