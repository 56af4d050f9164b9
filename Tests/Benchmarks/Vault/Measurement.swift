/// A measured ratio and its limit.
struct Measurement: Sendable {
    let name: String
    let ratio: Double
    let limit: Double
    let detail: String

    var isWithinLimit: Bool { ratio <= limit }

    /// The result, and on a second line, which begins with a space, the details.
    var lines: String {
        "\(name) ratio=\(Self.short(ratio)) limit=\(Self.short(limit))\n \(detail)"
    }

    /// Formats with three decimals.
    static func short(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let digits = String(thousandths % 1_000)
        return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
