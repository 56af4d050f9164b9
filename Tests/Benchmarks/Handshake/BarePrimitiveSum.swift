import Secrets

/// The cryptographic operations of both sides in Noise IK, and nothing else.
struct BarePrimitiveSum {
    /// Twelve regions of 256 bytes in one plain buffer.
    private var memory = [UInt8](repeating: 1, count: 12 * 256)

    /// The length of boxagent's `prologue`: label 9, purpose, bearer, two lengths and PSM 6, identity 119.
    private static let prologueBytes = 9 + 6 + 119

    mutating func run() {
        // SAFETY: the regions do not overlap, no use exceeds their 256 bytes, and the pointer does not escape.
        memory.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let regions = (0..<12).map { base + $0 * 256 }
            Self.keyAgreements(regions)
            for _ in 0..<2 {
                Self.hashes(regions)
                Self.keyDerivations(regions)
            }
            Self.ciphers(regions)
        }
    }

    /// Two ephemeral key pairs, then es, ss, ee and se on both sides.
    private static func keyAgreements(_ at: [UnsafeMutablePointer<UInt8>]) {
        BarePrimitives.makeKeyPair(at[0], at[1])
        BarePrimitives.makeKeyPair(at[2], at[3])
        for _ in 0..<4 {
            BarePrimitives.agree(at[4], at[0], at[3])
            BarePrimitives.agree(at[5], at[2], at[1])
        }
    }

    /// One side's hashes: the protocol name, then MixHash of prologue, rs, e, sealed s, tag, e, tag.
    private static func hashes(_ at: [UnsafeMutablePointer<UInt8>]) {
        for count in [33, 32 + prologueBytes, 32 + 32, 32 + 32, 32 + 48, 32 + 16, 32 + 32, 32 + 16] {
            BarePrimitives.hash(at[6], at[7], count)
        }
    }

    /// One side's HKDFs with two outputs: es, ss, ee, se, Split.
    private static func keyDerivations(_ at: [UnsafeMutablePointer<UInt8>]) {
        for input in [32, 32, 32, 32, 0] {
            BarePrimitives.authenticationCode(at[8], at[4], input, at[6])
            BarePrimitives.authenticationCode(at[9], at[7], 1, at[8])
            BarePrimitives.authenticationCode(at[10], at[9], 33, at[8])
        }
    }

    /// Seals s and the payloads of messages 1 and 2 on one side, and opens each on the other.
    private static func ciphers(_ at: [UnsafeMutablePointer<UInt8>]) {
        for count in [32, 0, 0] {
            BarePrimitives.seal(at[11], at[5], count, at[6], at[7], at[10])
            let isAuthentic = BarePrimitives.open(at[9], at[11], count + 16, at[6], at[7], at[10])
            precondition(isAuthentic, "the bare cipher failed")
        }
    }
}
