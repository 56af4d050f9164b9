import ArgumentParser
import GATTProfile
import PhoneCore
import PhoneKit
import TextOutput

struct PingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping", abstract: "Measure round trips to a box.",
        discussion: """
            Sends bytes to a box, checks that all of them come back, and shows the minimum, median and maximum of the \
            round trips. A round trip takes from the first byte sent to the last byte received. The throughput is for \
            one direction while the other direction is equally busy.
            Examples:
              boxphone ping
              boxphone ping 4711 --size 262144 --count 10 --via l2cap
              boxphone ping --size 4096 --via gatt --json
            """)

    @OptionGroup var box: BoxArgument

    @Option(help: ArgumentHelp("Bytes of one ping, at most 1048576.", valueName: "N"))
    var size = 64

    @Option(help: ArgumentHelp("Pings, one after the other; at most 1000.", valueName: "K"))
    var count = 5

    @OptionGroup var listing: ListingOptions

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func validate() throws {
        guard PingLimits.size.contains(size) else {
            throw ValidationError("--size takes a whole number from 0 to \(PingLimits.size.upperBound)")
        }
        guard PingLimits.count.contains(count) else {
            throw ValidationError("--count takes a whole number from 1 to \(PingLimits.count.upperBound)")
        }
    }

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            let report = try await program.trying { (phone) throws(PhoneError) in
                try await phone.ping(target, size: size, count: count, program.interaction()) { took in
                    guard !listing.json else { return }
                    program.console.say(
                        "\(Plural.text(size, "byte")) from box \(target.boxID): \(took.milliseconds) ms")
                }
            }
            if listing.json {
                program.console.sayWhole(JSONValue.record(report.fields(boxID: target.boxID)).line)
            } else {
                for line in report.lines(boxID: target.boxID) { program.console.say(line) }
            }
            return .done
        }
    }
}

extension PingReport {
    func fields(boxID: String) -> [(key: String, value: JSONValue)] {
        let bluetooth = BearerBinding(carrier.binding)
        return [
            ("box", .text(boxID)), ("bearer", .text(bluetooth?.bearer.word ?? carrier.name)),
            ("psm", .number(Int(bluetooth?.psm ?? 0))),
            ("segment_bytes", .number(carrier.limits.sentBytes)), ("size", .number(size)),
            ("count", .number(roundTrips.count)),
            ("minimum_microseconds", .number(minimum.microseconds)),
            ("median_microseconds", .number(median.microseconds)),
            ("maximum_microseconds", .number(maximum.microseconds)),
            ("round_trips_microseconds", .list(roundTrips.map { .number($0.microseconds) })),
            ("bytes_per_second", .number(bytesPerSecond)),
        ]
    }

    func lines(boxID: String) -> [String] {
        [
            "All bytes came back over \(carrier.name), in segments of up to \(Plural.text(carrier.limits.sentBytes, "byte"))",
            "Round trip: min \(minimum.milliseconds), median \(median.milliseconds), max \(maximum.milliseconds) ms",
            "Throughput: \(bytesPerSecond / 1_000) kB/s each way",
        ]
    }
}

extension Bearer {
    fileprivate var word: String {
        switch self {
        case .gatt: "gatt"
        case .l2cap: "l2cap"
        }
    }
}

extension Duration {
    fileprivate var microseconds: Int { Int(self / .microseconds(1)) }

    /// Milliseconds with two decimals.
    fileprivate var milliseconds: String {
        let hundredths = Int((self / .microseconds(10)).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
