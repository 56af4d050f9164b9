import Testing

@testable import PhoneCore

@Suite("Calibration")
struct CalibrationTests {
    private func samples(around median: Int, spread: Int = 4) -> [Int] {
        (0..<30).map { median + ($0 % (2 * spread + 1)) - spread }
    }

    @Test("Near is a little under the chair's median, far a little over that of the far place")
    func ordinary() throws {
        let found = try Calibration(near: samples(around: -50), far: samples(around: -84))
        #expect(found.nearDBm == -55)
        #expect(found.farDBm == -82)
        #expect(!found.farIsTooNear)
    }

    @Test("However near the far place is, the chair keeps 20 dB, and the person is told")
    func farIsNear() throws {
        let found = try Calibration(near: samples(around: -50), far: samples(around: -66))
        #expect(found.farDBm == -74)
        #expect(found.farIsTooNear)
    }

    @Test("Two places that sound alike, or too few samples, give no thresholds")
    func refused() {
        #expect(throws: Calibration.Problem.tooAlike(near: -61, far: -71)) {
            try Calibration(near: samples(around: -60), far: samples(around: -70))
        }
        #expect(throws: Calibration.Problem.tooFewSamples(needed: 20, got: 19)) {
            try Calibration(near: samples(around: -60), far: Array(samples(around: -90).prefix(19)))
        }
    }

    @Test("Whatever was measured, a box takes the thresholds")
    func bounds() throws {
        for near in -127 ... -15 {
            for far in stride(from: -127, through: near - 15, by: 7) {
                let found = try Calibration(
                    near: samples(around: near, spread: 2), far: samples(around: far, spread: 2))
                #expect((-90 ... -30).contains(found.nearDBm), "\(near) \(far)")
                #expect((-100 ... -40).contains(found.farDBm), "\(near) \(far)")
                #expect(found.nearDBm - found.farDBm >= 10, "\(near) \(far)")
            }
        }
    }
}
