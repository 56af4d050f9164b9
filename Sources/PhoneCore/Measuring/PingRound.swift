import PhoneMessages
import Secrets

/// The bytes of one ping, which differ for each ping so that an old answer cannot pass.
struct PingRound: Sendable {
    let payload: [UInt8]

    /// - Parameter seed: At least eight random bytes.
    init(size: Int, seed: [UInt8] = randomBytes(count: 8)) {
        var state = seed.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var payload: [UInt8] = []
        payload.reserveCapacity(size + 8)
        while payload.count < size {
            // SplitMix64.
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            word ^= word >> 31
            for _ in 0..<8 {
                payload.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        payload.removeLast(payload.count - size)
        self.payload = payload
    }

    /// The range of the bytes in each message. An empty ping is one message too.
    var pieces: [Range<Int>] {
        guard !payload.isEmpty else { return [0..<0] }
        return stride(from: 0, to: payload.count, by: MessageLimits.pingBytes).map {
            $0..<min($0 + MessageLimits.pingBytes, payload.count)
        }
    }

    /// Returns the index of the first difference, or nil if there is none.
    static func firstDifference(_ bytes: [UInt8], _ expected: ArraySlice<UInt8>) -> Int? {
        if bytes[...] == expected { return nil }
        return zip(bytes, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(bytes.count, expected.count)
    }
}
