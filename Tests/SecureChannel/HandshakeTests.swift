import SecureChannel
import Secrets
import Testing

@Suite("The handshake")
struct HandshakeTests {
    @Test("Both patterns give both sides the same channel, and messages pass each way")
    func channelStands() throws {
        let phone = X25519KeyPair()
        let box = X25519KeyPair()
        let pool = SecretArenaPool()
        let prologue = HandshakePrologue.channel(bearer: .gatt, identity: [1, 2, 3]).bytes
        let start = try InitiatorStart<XChaChaPoly>(
            prologue: prologue, staticKey: phone, remoteStatic: box.publicKey, pool: pool)
        let step = try start.writeMessage1()
        let message1 = step.message
        #expect(message1.count == 96)
        let ready = try ResponderStart<XChaChaPoly>(prologue: prologue, staticKey: box, pool: pool)
            .readMessage1(message1)
        #expect(ready.claimedRemoteStatic == phone.publicKey)
        let reply = try ready.writeMessage2(now: .zero)
        let message2 = reply.message
        #expect(message2.count == 48)
        var phoneChannel = try step.next.readMessage2(message2, now: .zero)
        var boxChannel = reply.transport
        #expect(phoneChannel.handshakeHash == boxChannel.handshakeHash)
        let opened = try boxChannel.open(phoneChannel.seal([1, 2, 3], now: .zero), now: .zero)
        let isSame = opened.isEqual(to: SecretBytes(copying: [1, 2, 3]))
        #expect(isSame)
    }
}
