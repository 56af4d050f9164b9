import ArgumentParser

/// A time as a person types it: `15m`, `2h`, `90s`, `1h30m`, `off`.
struct AutoLogoutTime: ExpressibleByArgument, Equatable, Sendable {
    /// A week, the longest duration that the protocol allows.
    static let limitSeconds: UInt32 = 604_800

    /// 0 means off.
    let seconds: UInt32

    init?(argument: String) {
        if argument == "off" {
            seconds = 0
            return
        }
        var total: UInt32 = 0
        var number: UInt32?
        var largest = UInt32.max
        for character in argument.utf8 {
            if case UInt8(ascii: "0")...UInt8(ascii: "9") = character {
                let (grown, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
                guard !overflow, grown <= Self.limitSeconds else { return nil }
                number = grown + UInt32(character - UInt8(ascii: "0"))
                continue
            }
            let unit: UInt32
            switch character {
            case UInt8(ascii: "h"): unit = 3_600
            case UInt8(ascii: "m"): unit = 60
            case UInt8(ascii: "s"): unit = 1
            default: return nil
            }
            // Units must come from the largest to the smallest, each at most once.
            guard let count = number, unit < largest, count <= Self.limitSeconds else { return nil }
            largest = unit
            number = nil
            total += count * unit
            guard total <= Self.limitSeconds else { return nil }
        }
        guard number == nil, total > 0 else { return nil }
        seconds = total
    }

    /// Returns the typed form, such as `1h30m`.
    static func text(_ seconds: UInt32) -> String {
        guard seconds > 0 else { return "off" }
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
    }
}
