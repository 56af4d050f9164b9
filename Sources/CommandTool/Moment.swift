import Glibc

/// A point in time as users type it: RFC 3339, a day, or a span before now.
package enum Moment {
    /// The accepted forms, for messages.
    package static let forms = "2026-11-21T06:40:12Z, 2026-11-21 or a span before now such as 90s, 30min, 2h, 3d or 1w"

    /// The longest span in seconds: a hundred years.
    private static let longestSpan: Int64 = 3_155_760_000
    private static let units: [(name: String, seconds: Int64)] = [
        ("min", 60), ("s", 1), ("h", 3_600), ("d", 86_400), ("w", 604_800),
    ]

    /// Returns Unix seconds. A day stands for its beginning in the machine's time zone. Returns nil if no form matches.
    package static func unixSeconds(_ text: String, now: Int64) -> Int64? {
        if let day = Timestamp.startOfDay(text) { return day }
        if let span = span(text) { return now - span }
        return universal(Array(text.utf8))
    }

    private static func span(_ text: String) -> Int64? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        let digits = text.dropLast(unit.name.count)
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(digits), count <= longestSpan / unit.seconds
        else { return nil }
        return count * unit.seconds
    }

    /// Parses RFC 3339 section 5.6. Drops a fraction of a second, since audit entries have whole seconds.
    private static func universal(_ text: [UInt8]) -> Int64? {
        guard text.count >= 20, text[4] == 0x2D, text[7] == 0x2D, [0x54, 0x74, 0x20].contains(text[10]),
            text[13] == 0x3A, text[16] == 0x3A, let year = number(text[0..<4]),
            let month = number(text[5..<7], 1...12),
            let day = number(text[8..<10], 1...31), let hour = number(text[11..<13], 0...23),
            let minute = number(text[14..<16], 0...59), let second = number(text[17..<19], 0...60),
            let offset = offset(behindSeconds: text[19...]), day <= days(inMonth: month, year)
        else { return nil }
        return daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    }

    /// Parses `Z` or an offset such as `+01:00` in seconds, after an optional fraction.
    private static func offset(behindSeconds text: ArraySlice<UInt8>) -> Int64? {
        var rest = text
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            let fraction = rest.prefix { (0x30...0x39).contains($0) }
            guard (1...9).contains(fraction.count) else { return nil }
            rest = rest.dropFirst(fraction.count)
        }
        if rest.elementsEqual("Z".utf8) || rest.elementsEqual("z".utf8) { return 0 }
        guard rest.count == 6, let sign = rest.first, sign == 0x2B || sign == 0x2D,
            rest[rest.startIndex + 3] == 0x3A, let hours = number(rest.dropFirst().prefix(2), 0...23),
            let minutes = number(rest.suffix(2), 0...59)
        else { return nil }
        return (sign == 0x2D ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private static func number(_ digits: ArraySlice<UInt8>, _ bounds: ClosedRange<Int64> = 0...9_999) -> Int64? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        return bounds.contains(value) ? value : nil
    }

    private static func days(inMonth month: Int64, _ year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Counts days in the Gregorian calendar. A year begins in March, so that a leap day is its last day (Howard
    /// Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Adding 400 years keeps the year from being negative.
        let shifted = year + 400 - (month <= 2 ? 1 : 0)
        let (era, yearOfEra) = shifted.quotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return (era - 1) * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
