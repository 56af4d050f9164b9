/// Times and spans as the page shows them. Times are UTC.
public enum Moment {
    /// Returns `2026-11-24 05:30` for seconds since 1970, up to the end of the year 9999.
    public static func text(_ seconds: UInt64) -> String {
        let (date, clock) = parts(seconds)
        return date + " " + clock
    }

    /// Returns `2026-11-24T05:30Z`, for machines.
    public static func machine(_ seconds: UInt64) -> String {
        let (date, clock) = parts(seconds)
        return date + "T" + clock + "Z"
    }

    private static func parts(_ seconds: UInt64) -> (String, String) {
        let known = min(seconds, 253_402_300_799)
        let (days, rest) = (Int(known / 86_400), Int(known % 86_400))
        let (year, month, day) = civil(days)
        return (
            "\(padded(year, 4))-\(padded(month))-\(padded(day))", "\(padded(rest / 3_600)):\(padded(rest / 60 % 60))"
        )
    }

    /// Returns the date of a day since 1970 (https://howardhinnant.github.io/date_algorithms.html, civil_from_days).
    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (year + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Returns the first second of a day such as `2026-11-24`, or nil unless it is a day from 1970 to 9999.
    public static func day(_ text: String) -> UInt64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // days_from_civil, from the same source.
        let shiftedYear = month <= 2 ? year - 1 : year
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let era = shiftedYear / 400
        let ofEra = shiftedYear - era * 400
        let ofYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
        // Rejects dates such as 31 February.
        return civil(days) == (year, month, day) ? UInt64(days) * 86_400 : nil
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Returns the two largest units of a span, each with its number and the key of its sentence.
    public static func span(_ seconds: UInt64) -> [(number: UInt64, key: String)] {
        let units = [
            (seconds / 86_400, "unitDays"), (seconds / 3_600 % 24, "unitHours"), (seconds / 60 % 60, "unitMinutes"),
            (seconds % 60, "unitSeconds"),
        ]
        guard let first = units.firstIndex(where: { $0.0 > 0 }) else { return [(0, "unitSeconds")] }
        return units[first...].prefix(2).filter { $0.0 > 0 }.map { (number: $0.0, key: $0.1) }
    }
}
