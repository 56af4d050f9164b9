import PageCore
import Testing

@Suite("Challenges")
struct ChallengeTests {
    private let mint = ChallengeMint()

    @Test("A challenge is good for who asked, for what it was made, and for three minutes")
    func good() {
        let challenge = mint.make(.signIn, holder: [1, 2], now: 1_000)
        #expect(mint.isGood(challenge, .signIn, holder: [1, 2], now: 1_000))
        #expect(mint.isGood(challenge, .signIn, holder: [1, 2], now: 1_000 + PageLimits.challengeSeconds))
        #expect(!mint.isGood(challenge, .signIn, holder: [1, 2], now: 1_001 + PageLimits.challengeSeconds))
        #expect(!mint.isGood(challenge, .signIn, holder: [1, 2], now: 999))
        #expect(!mint.isGood(challenge, .register, holder: [1, 2], now: 1_000))
        #expect(!mint.isGood(challenge, .signIn, holder: [1], now: 1_000))
        #expect(!ChallengeMint().isGood(challenge, .signIn, holder: [1, 2], now: 1_000))
    }

    @Test("Every bit of it counts")
    func bits() {
        let challenge = mint.make(.signIn, holder: [], now: 1_000)
        for bit in 0..<challenge.count * 8 {
            var bent = challenge
            bent[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!mint.isGood(bent, .signIn, holder: [], now: 1_000))
        }
        #expect(!mint.isGood([], .signIn, holder: [], now: 1_000))
        #expect(!mint.isGood(challenge + [0], .signIn, holder: [], now: 1_000))
    }

    @Test("A challenge is used once, and its place is free when its time is over")
    func once() {
        var used = UsedChallenges()
        func claim(_ challenge: [UInt8], now: UInt64) -> Bool { used.claim(challenge, now: now) }
        #expect(claim([1], now: 0))
        #expect(!claim([1], now: PageLimits.challengeSeconds))
        for number in 1..<PageLimits.usedChallenges {
            #expect(claim([2, UInt8(number >> 8), UInt8(number & 255)], now: 0))
        }
        #expect(!claim([3], now: 0))
        #expect(claim([3], now: PageLimits.challengeSeconds + 1))
    }
}
