import AgentConfiguration
import PhoneCore
import AgentCore

/// A model of phone, with standard or calibrated thresholds.
struct SimulatedPhone {
    let name: String
    let offsetDB: Double
    let isCalibrated: Bool

    static let all = [
        SimulatedPhone(name: "ordinary, standard thresholds", offsetDB: 0, isCalibrated: false),
        SimulatedPhone(name: "ordinary, calibrated", offsetDB: 0, isCalibrated: true),
        SimulatedPhone(name: "8 dB weaker, calibrated", offsetDB: -8, isCalibrated: true),
        SimulatedPhone(name: "6 dB stronger, calibrated", offsetDB: 6, isCalibrated: true),
    ]

    /// Calibrates like `boxphone calibrate`: thirty samples in the chair, then thirty outside the door. Repeats both
    /// series, up to five times in all, if the places cannot be told apart.
    func thresholds(seed: UInt64) throws -> PresenceThresholds {
        guard isCalibrated else { return .standard }
        var radio = SimulatedRadio(seed: seed &+ 2, offsetDB: offsetDB)
        for attempt in 0..<5 {
            let start = Double(attempt) * 20_000
            let seat = measure(at: 0.8, isSeated: true, &radio, from: start)
            let outside = measure(at: 11, isSeated: false, &radio, from: start + 10_000)
            guard let found = try? Calibration(near: seat, far: outside) else { continue }
            guard let thresholds = PresenceThresholds(nearDBm: found.nearDBm, farDBm: found.farDBm) else {
                throw Refused.byBox(found)
            }
            return thresholds
        }
        throw Refused.everyTime
    }

    enum Refused: Error {
        case byBox(Calibration)
        case everyTime
    }

    private func measure(at metres: Double, isSeated: Bool, _ radio: inout SimulatedRadio, from: Double) -> [Int] {
        let position = Itinerary.Position(metres: metres, metresPerSecond: 0, isSeated: isSeated)
        var samples: [Int] = []
        for second in 0..<60 where samples.count < 30 {
            let mean = radio.meanDBm(at: from + Double(second), position, step: 1)
            if let sample = radio.sample(around: mean, position) { samples.append(sample) }
        }
        return samples
    }

    func week(seed: UInt64) throws -> SimulatedWeek {
        var week = SimulatedWeek(seed: seed, offsetDB: offsetDB, thresholds: try thresholds(seed: seed))
        week.run()
        return week
    }

    /// Returns the table of docs/reference/proximity.md.
    ///
    /// - Parameter weeks: The weeks of `all` with this seed.
    static func table(seed: UInt64, _ weeks: [SimulatedWeek]) throws -> [String] {
        var lines = [
            "| phone | rule | samples | locks | while seated | near | from beyond | farthest |",
            "| --- | --- | --: | --: | --: | --: | --: | --: |",
        ]
        var delays: [Double] = []
        var (departures, locked, arrivals, offered) = (0, 0, 0, 0)
        for (phone, week) in zip(all, weeks) {
            let thresholds = try phone.thresholds(seed: seed)
            let limits = "\(phone.name) (\(thresholds.nearDBm)/\(thresholds.farDBm) dBm)"
            lines.append("| \(limits) | average | \(week.samples) | \(row(week.machine)) |")
            lines.append("| | single sample | \(week.samples) | \(row(week.singleSample)) |")
            delays += week.lockDelays
            departures += week.departures
            locked += week.departuresLocked
            arrivals += week.arrivals
            offered += week.arrivalsOffered
        }
        delays.sort()
        let median = tenths(delays.isEmpty ? 0 : delays[delays.count / 2])
        let most = tenths(delays.isEmpty ? 0 : delays[(delays.count - 1) * 95 / 100])
        lines += [
            "",
            "Of \(departures) departures out of range \(locked) were locked within 30 s; from there to the lock it took \(median) s in",
            "the median and \(most) s in 95 of 100. Of \(arrivals) arrivals at a locked box \(offered) had the offer within 20 s of",
            "sitting down.",
        ]
        return lines
    }

    private static func row(_ outcome: SimulatedWeek.Outcome) -> String {
        "\(outcome.locks) | \(outcome.locksWhileSeated) | \(outcome.nears) | \(outcome.nearFromBeyond) "
            + "| \(tenths(outcome.farthestNear)) m"
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
