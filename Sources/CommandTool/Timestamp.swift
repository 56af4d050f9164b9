import Glibc

/// Formats points in time for people and programs.
package enum Timestamp {
    /// Formats as `2026-11-21 06:40:12` in the machine's time zone.
    package static func local(_ unixSeconds: UInt64) -> String {
        var parts = tm()
        var time = time_t(clamping: unixSeconds)
        // SAFETY: both records outlive the call.
        guard localtime_r(&time, &parts) != nil else { return "?" }
        return text(parts, between: " ", end: "")
    }

    /// Formats as `2026-11-21T05:40:12Z` (RFC 3339).
    package static func universal(_ unixSeconds: UInt64) -> String {
        var parts = tm()
        var time = time_t(clamping: unixSeconds)
        // SAFETY: both records outlive the call.
        guard gmtime_r(&time, &parts) != nil else { return "?" }
        return text(parts, between: "T", end: "Z")
    }

    /// Formats a recent time as `27 Nov, 14:02` in the machine's time zone.
    package static func recent(_ unixSeconds: Int64) -> String {
        var parts = tm()
        var time = time_t(clamping: unixSeconds)
        // SAFETY: both records outlive the call.
        guard localtime_r(&time, &parts) != nil, months.indices.contains(Int(parts.tm_mon)) else { return "?" }
        return "\(parts.tm_mday) \(months[Int(parts.tm_mon)]), \(two(parts.tm_hour)):\(two(parts.tm_min))"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns the start of a date such as `2026-11-21` in the machine's time zone, or nil if the date is not valid.
    package static func startOfDay(_ date: String) -> Int64? {
        let fields = date.split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
        guard date.utf8.count == 10, fields.count == 3, let year = fields[0], let month = fields[1],
            let day = fields[2], year >= 1970, (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_isdst) = (year - 1900, month - 1, day, -1)
        // SAFETY: the record outlives the call.
        let time = mktime(&parts)
        // mktime(3) turns the 31st of February into the 3rd of March.
        guard time >= 0, parts.tm_mday == day, parts.tm_mon == month - 1 else { return nil }
        return Int64(time)
    }

    /// Formats a span by its two largest units, such as `3 d 4 h` or `5 min 6 s`.
    package static func span(_ seconds: UInt64) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let first = parts.firstIndex { $0.0 > 0 } ?? 3
        let shown = parts[first..<min(first + 2, 4)].filter { $0.0 > 0 || first == 3 }
        return shown.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func text(_ parts: tm, between: String, end: String) -> String {
        let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return date + between + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))" + end
    }
}
