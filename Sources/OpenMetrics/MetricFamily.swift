/// A family of metrics with its samples, in the format of OpenMetrics 1.0.
///
/// It uses only what node_exporter's textfile collector also reads. That collector has Prometheus's older parser, which
/// refuses a file with an unknown type such as `info` (prometheus/common, expfmt/text_parse.go, `readingType`). The
/// collector itself refuses samples with times (node_exporter, collector/textfile.go).
public struct MetricFamily: Equatable, Sendable {
    private enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// One line: the suffix of the family's name, the labels, and the value as text.
    private struct Sample: Equatable, Sendable {
        let suffix: String
        let labels: String
        let value: String
    }

    private let name: String
    private let kind: Kind
    /// The unit, with which the name must end.
    private let unit: String?
    /// One sentence without quotation marks, backslashes and line breaks.
    private let help: String
    private var samples: [Sample] = []

    private init(_ name: String, _ kind: Kind, unit: String? = nil, _ help: String) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.help = help
    }

    public static func counter(_ name: String, _ help: String, _ value: UInt64) -> MetricFamily {
        var family = MetricFamily(name, .counter, help)
        family.samples = [Sample(suffix: "_total", labels: "", value: "\(value)")]
        return family
    }

    /// Makes one sample for each value of the label, in that order.
    public static func counter(
        _ name: String, _ help: String, by label: String, _ values: [(name: String, value: UInt64)]
    ) -> MetricFamily {
        var family = MetricFamily(name, .counter, help)
        family.samples = values.map {
            Sample(suffix: "_total", labels: "{\(label)=\"\($0.name)\"}", value: "\($0.value)")
        }
        return family
    }

    public static func gauge(
        _ name: String, unit: String? = nil, _ help: String, labels: String = "", _ value: Int64
    ) -> MetricFamily {
        var family = MetricFamily(name, .gauge, unit: unit, help)
        family.samples = [Sample(suffix: "", labels: labels, value: "\(value)")]
        return family
    }

    /// Makes one sample for each value of the label, in that order.
    public static func gauge(
        _ name: String, unit: String? = nil, _ help: String, by label: String, _ values: [(name: String, value: Int64)]
    ) -> MetricFamily {
        var family = MetricFamily(name, .gauge, unit: unit, help)
        family.samples = values.map { Sample(suffix: "", labels: "{\(label)=\"\($0.name)\"}", value: "\($0.value)") }
        return family
    }

    public static func histogram(_ name: String, _ help: String, _ times: TimeHistogram) -> MetricFamily {
        var family = MetricFamily(name, .histogram, unit: "seconds", help)
        family.samples =
            times.cumulative.map { bound, count in
                Sample(suffix: "_bucket", labels: "{le=\"\(bound)\"}", value: "\(count)")
            } + [
                Sample(suffix: "_sum", labels: "", value: "\(times.sumSeconds)"),
                Sample(suffix: "_count", labels: "", value: "\(times.count)"),
            ]
        return family
    }

    public var lines: [String] {
        ["# TYPE \(name) \(kind.rawValue)"] + (unit.map { ["# UNIT \(name) \($0)"] } ?? [])
            + ["# HELP \(name) \(help)"] + samples.map { "\(name)\($0.suffix)\($0.labels) \($0.value)" }
    }

    /// Returns the text of a file with these families.
    public static func text(of families: [MetricFamily]) -> String {
        (families.flatMap(\.lines) + ["# EOF"]).map { $0 + "\n" }.joined()
    }
}
