import ArgumentParser
import PhoneCore
import PhoneKit
import PhoneMessages
import TextOutput

struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Measure which signal is near and which is far for this phone and a box.",
        discussion: """
            Phones receive the same box with different strength. This command measures at two places, your chair at \
            the box and the place where you count as gone. Then it gives the box thresholds for this phone. It needs a \
            radio that can measure a connection. To set thresholds without measuring, use --near and --far; to remove \
            them, use --reset.
            Examples:
              boxphone calibrate 4711
              boxphone calibrate --near=-62 --far=-83
              boxphone calibrate --reset
            """)

    @OptionGroup var box: BoxArgument

    @Option(help: ArgumentHelp("The weakest signal at which this phone is near: -90 to -30.", valueName: "DBM"))
    var near: Int?

    @Option(
        help: ArgumentHelp(
            "The signal below which this phone is far: -100 to -40, at least 10 below --near.", valueName: "DBM"))
    var far: Int?

    @Flag(help: "Use the thresholds of the box's administrator again.")
    var reset = false

    @Option(help: ArgumentHelp("Samples at each place, 20 to 500.", valueName: "N"))
    var samples = 30

    @Option(help: .hidden)
    var everyMilliseconds = 500

    @OptionGroup var listing: ListingOptions

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func validate() throws {
        guard (near == nil) == (far == nil) else { throw ValidationError("--near and --far must be used together") }
        guard near == nil || !reset else { throw ValidationError("use either --reset or --near and --far") }
        guard (Calibration.minimumSamples...500).contains(samples) else {
            throw ValidationError("--samples takes a whole number from \(Calibration.minimumSamples) to 500")
        }
        guard (1...10_000).contains(everyMilliseconds) else {
            throw ValidationError("--every-milliseconds takes a whole number from 1 to 10000")
        }
        if let near, let far, !SignalThresholds(nearDBm: near, farDBm: far).isAllowed {
            throw ValidationError("--near must be -90 to -30, and --far -100 to -40 and at least 10 below --near")
        }
    }

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            guard !reset else {
                try await program.give(nil, to: target)
                program.console.say(
                    listing.json
                        ? JSONValue.record([("box", .text(target.boxID)), ("near", .null), ("far", .null)]).line
                        : "Box \(target.boxID) uses its administrator's thresholds for this phone.", nil)
                return .done
            }
            let thresholds: SignalThresholds
            if let near, let far {
                thresholds = SignalThresholds(nearDBm: near, farDBm: far)
            } else {
                thresholds = try await measured(target, program)
            }
            try await program.give(thresholds, to: target)
            let (near, far) = (thresholds.nearDBm, thresholds.farDBm)
            program.console.say(
                listing.json
                    ? JSONValue.record([
                        ("box", .text(target.boxID)), ("near", .number(near)), ("far", .number(far)),
                    ]).line
                    : "Box \(target.boxID) counts this phone as near from \(near) dBm, and as far below \(far) dBm.",
                listing.json ? nil : .green)
            return .done
        }
    }

    private func measured(_ target: BoxTarget, _ program: Program) async throws(Complaint) -> SignalThresholds {
        let otherwise = "set thresholds with --near and --far"
        _ = try await program.terminal.askChoice(
            "Sit at the box as when you work, with the phone where it usually is. Press Enter. ", otherwise: otherwise)
        let near = try await measure(target, program)
        _ = try await program.terminal.askChoice(
            "Now go to a place where you count as gone, for instance outside the door. Press Enter there. ",
            otherwise: otherwise)
        let far = try await measure(target, program)
        let found: Calibration
        do throws(Calibration.Problem) {
            found = try Calibration(near: near, far: far)
        } catch {
            throw Complaint(.badInput, error.sentence)
        }
        if found.farIsTooNear {
            program.console.note(
                "The second place is still rather near. The box will lock only when you are a little farther away.",
                .yellow)
        }
        return SignalThresholds(nearDBm: found.nearDBm, farDBm: found.farDBm)
    }

    private func measure(_ target: BoxTarget, _ program: Program) async throws(Complaint) -> [Int] {
        await program.progress.show("measuring")
        let measured = try await program.trying { (phone) throws(PhoneError) in
            try await phone.measureSignal(
                target, count: samples, every: .milliseconds(everyMilliseconds), program.interaction())
        }
        guard let measured else {
            throw Complaint(
                .system,
                "this radio cannot measure the signal of a connected box; set thresholds with --near and --far")
        }
        guard !listing.json, let weakest = measured.min(), let strongest = measured.max() else { return measured }
        let median = measured.sorted()[measured.count / 2]
        program.console.note("  \(measured.count) samples from \(weakest) to \(strongest) dBm, median \(median) dBm")
        return measured
    }
}

extension Program {
    fileprivate func give(_ thresholds: SignalThresholds?, to target: BoxTarget) async throws(Complaint) {
        let outcome = try await trying { (phone) throws(PhoneError) in
            try await phone.setThresholds(target, thresholds, interaction())
        }
        if case .refused(.notAllowed, _) = outcome {
            throw Complaint(
                .notAllowed, "the administrator of box \(target.boxID) does not allow phones to set their thresholds")
        }
        try conclude(outcome, target)
    }
}

extension Calibration.Problem {
    fileprivate var sentence: String {
        switch self {
        case .tooFewSamples(let needed, let got):
            "only \(got) of \(needed) samples could be measured at one of the places; go a little nearer there"
        case .tooAlike(let near, let far):
            "the signal is too similar at both places (medians \(near) and \(far) dBm); choose a second place that "
                + "is farther away"
        }
    }
}
