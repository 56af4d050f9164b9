import Glibc
import TestSupport

/// The signal that a phone measures at a distance from the box, sample by sample.
///
/// The model is the usual one of an indoor channel: log-distance path loss, walls, and log-normal shadowing that
/// changes with the way walked. The loss at the person's body and Rician fading come on top. The fading is new in
/// every sample, since Bluetooth hops over 37 channels.
struct SimulatedRadio: Sendable {
    /// The difference of this phone model from the ordinary one, in dB.
    let offsetDB: Double
    private var generator: SeededGenerator
    private var shadowDB = 0.0
    private var bodyDB = 4.0
    private var bodyUntil = 0.0
    private var coverUntil = 0.0
    private var coverDB = 0.0

    static let atOneMetreDBm = -52.0
    static let pathLossExponent = 1.8
    static let wallDB = 5.0
    /// The distances of the walls from the box, in metres.
    static let walls = [8.0, 13.0, 20.0]

    init(seed: UInt64, offsetDB: Double) {
        generator = SeededGenerator(seed: seed)
        self.offsetDB = offsetDB
    }

    /// Returns the signal after path loss and walls alone.
    static func pathDBm(at metres: Double) -> Double {
        let blocked = Double(walls.count { metres > $0 })
        return atOneMetreDBm - 10 * pathLossExponent * log10(max(metres, 0.3)) - wallDB * blocked
    }

    /// Returns the signal at `time` without the changes from sample to sample.
    mutating func meanDBm(at time: Double, _ where_: Itinerary.Position, step: Double) -> Double {
        let deviation = where_.isSeated ? 2.0 : 3.0
        let kept = exp(-step * (where_.metresPerSecond / 1.0 + 1.0 / 300))
        shadowDB = kept * shadowDB + (1 - kept * kept).squareRoot() * deviation * normal()
        if time >= bodyUntil { holdAnew(at: time, where_) }
        if where_.isSeated, time >= coverUntil {
            // A hand on the phone, or a colleague who leans over, about every five minutes.
            coverDB = chance(step / 300) ? uniform(2, 6) : 0
            coverUntil = coverDB > 0 ? time + uniform(2, 20) : time
        } else if !where_.isSeated {
            coverDB = 0
        }
        let cover = time < coverUntil ? coverDB : 0
        return Self.pathDBm(at: where_.metres) + offsetDB + shadowDB - bodyDB - cover
    }

    /// Returns one sample around a mean, or nil if the receiver heard nothing.
    mutating func sample(around meanDBm: Double, _ where_: Itinerary.Position) -> Int? {
        // Rician fading: `k` is the power of the fixed path divided by that of the scattered paths.
        let k = where_.isSeated ? 4.0 : 1.0
        let scattered = (1 / (2 * (k + 1))).squareRoot()
        let real = (k / (k + 1)).squareRoot() + scattered * normal()
        let imaginary = scattered * normal()
        let fadingDB = 10 * log10(max(real * real + imaginary * imaginary, 1e-4))
        let measured = meanDBm + fadingDB + normal()
        guard measured > -97, !chance(0.02) else { return nil }
        return Int(measured.rounded())
    }

    /// Changes how the phone is carried: on the desk, in a hand, in a pocket, behind the body.
    private mutating func holdAnew(at time: Double, _ where_: Itinerary.Position) {
        if where_.metresPerSecond > 0 {
            bodyDB = uniform(3, 12)
            bodyUntil = time + uniform(2, 6)
        } else {
            bodyDB = [uniform(0, 3), uniform(3, 6), uniform(6, 10)][Int(generator.next() % 3)]
            bodyUntil = time + uniform(120, 2_400)
        }
    }

    mutating func chance(_ probability: Double) -> Bool { uniform(0, 1) < probability }

    mutating func uniform(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * (Double(generator.next() >> 11) / Double(1 << 53))
    }

    private mutating func normal() -> Double {
        let radius = (-2 * log(max(uniform(0, 1), 1e-12))).squareRoot()
        return radius * cos(2 * .pi * uniform(0, 1))
    }
}
