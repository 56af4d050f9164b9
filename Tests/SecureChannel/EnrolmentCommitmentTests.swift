import Secrets
import Testing

@testable import SecureChannel

@Suite("The six digits, and the commitment to them")
struct EnrolmentCommitmentTests {
    private let hash = [UInt8](repeating: 0, count: 32)
    private let phone = [UInt8](repeating: 1, count: 32)
    private let box = [UInt8](repeating: 2, count: 32)

    @Test("Commitment and digits are what another implementation makes of the same bytes")
    func knownAnswers() {
        // Computed with Python: SHA-256("boxlink-enrol-commit-2" ‖ hash ‖ nonce), and the first 8 bytes of
        // SHA-256("boxlink-six-digits-2" ‖ hash ‖ phone's nonce ‖ box's nonce) as a number, modulo a million.
        let commitment = EnrolmentCommitment.of(nonce: phone, handshakeHash: hash)
        let hex = commitment.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == "3c40c8e54c6ca47811feac56b358dd44b00cbedd6e4feb62d31944448185e0c3")
        let digits = EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: phone, boxNonce: box)
        #expect(digits == [UInt8]("843478".utf8))
    }

    @Test("A commitment holds for its nonce in its handshake, and for nothing else")
    func binds() {
        let commitment = EnrolmentCommitment.of(nonce: phone, handshakeHash: hash)
        #expect(EnrolmentCommitment.holds(commitment, nonce: phone, handshakeHash: hash))
        #expect(!EnrolmentCommitment.holds(commitment, nonce: box, handshakeHash: hash))
        #expect(!EnrolmentCommitment.holds(commitment, nonce: phone, handshakeHash: box))
        #expect(!EnrolmentCommitment.holds(commitment, nonce: phone + [0], handshakeHash: hash))
        #expect(!EnrolmentCommitment.holds(commitment, nonce: [], handshakeHash: hash))
        #expect(!EnrolmentCommitment.holds([], nonce: phone, handshakeHash: hash))
        // `holds` checks the nonce's length, so no byte of the nonce can pass as a byte of the handshake's hash.
        let shifted = EnrolmentCommitment.of(nonce: [UInt8](phone.dropFirst()), handshakeHash: hash + [1])
        #expect(shifted == commitment)
        #expect(!EnrolmentCommitment.holds(shifted, nonce: [UInt8](phone.dropFirst()), handshakeHash: hash + [1]))
    }

    @Test("Every one of the three makes other digits: six of them, in ASCII")
    func digits() {
        var seen: Set<[UInt8]> = []
        for byte: UInt8 in 3...255 {
            let other = [UInt8](repeating: byte, count: 32)
            for digits in [
                EnrolmentCommitment.digits(handshakeHash: other, phoneNonce: phone, boxNonce: box),
                EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: other, boxNonce: box),
                EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: phone, boxNonce: other),
            ] {
                #expect(digits.count == 6 && digits.allSatisfy { (0x30...0x39).contains($0) })
                seen.insert(digits)
            }
        }
        #expect(seen.count > 750, "759 draws of a million are hardly ever equal")
    }

    /// An attacker in the middle, with the box's key and the code, wants equal digits on both sides. The attacker ends
    /// one handshake, and searches among the choices that remain in the other.
    @Test("Neither a false box nor a false phone gains by searching: what it may choose, it chooses blind")
    func searching() {
        var generator = SplitMix64(state: UInt64.random(in: 0...UInt64.max))
        func random() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        var equal = 0
        for _ in 0..<200 {
            let (toPhone, toBox) = (random(), random())
            // The attacker has already sent a commitment to the box, and sent a nonce to the phone before it saw the
            // phone's nonce. A thousand tries find no second nonce for the commitment, so the digits cannot change.
            let (phoneNonce, boxNonce) = (random(), random())
            let (middleToPhone, middleToBox) = (random(), random())
            let commitment = EnrolmentCommitment.of(nonce: middleToBox, handshakeHash: toBox)
            let shown = EnrolmentCommitment.digits(
                handshakeHash: toPhone, phoneNonce: phoneNonce, boxNonce: middleToPhone)
            for _ in 0..<1_000 {
                let other = random()
                guard EnrolmentCommitment.holds(commitment, nonce: other, handshakeHash: toBox) else { continue }
                Issue.record("another nonce holds")
            }
            let confirmed = EnrolmentCommitment.digits(
                handshakeHash: toBox, phoneNonce: middleToBox, boxNonce: boxNonce)
            if shown == confirmed { equal += 1 }
        }
        #expect(equal <= 1)
    }
}
