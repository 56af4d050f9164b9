/// Reads the text format of OpenMetrics 1.0 strictly, as its section "Overall Structure" demands, for the types that
/// boxagent uses. The reader follows the specification, not the writer.
public enum OpenMetricsReader {
    public struct Fault: Error, CustomStringConvertible {
        public let description: String
    }

    public struct Sample {
        public let name: String
        public let labels: [String: String]
        public let value: Double
    }

    public struct Family {
        public let name: String
        public let type: String
        public var unit = ""
        public var help = ""
        public var samples: [Sample] = []
    }

    public static func read(_ text: String) throws(Fault) -> [Family] {
        guard text.hasSuffix("\n# EOF\n") else { throw Fault(description: "the end is missing") }
        var families: [Family] = []
        for line in text.dropLast("# EOF\n".count).dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let line = String(line)
            guard line.hasPrefix("#") else {
                guard let last = families.indices.last else { throw Fault(description: "no family: \(line)") }
                families[last].samples.append(try sample(line))
                continue
            }
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            guard words.count == 4, words[0] == "#" else { throw Fault(description: line) }
            if words[1] == "TYPE" {
                guard isName(words[2]), !families.contains(where: { $0.name == words[2] }),
                    ["counter", "gauge", "histogram"].contains(words[3])
                else { throw Fault(description: line) }
                families.append(Family(name: words[2], type: words[3]))
                continue
            }
            // Metadata comes before the samples, each kind once.
            guard let last = families.indices.last, families[last].name == words[2], families[last].samples.isEmpty
            else { throw Fault(description: line) }
            switch words[1] {
            case "UNIT" where families[last].unit.isEmpty && words[2].hasSuffix("_" + words[3]):
                families[last].unit = words[3]
            case "HELP" where families[last].help.isEmpty && !words[3].contains { "\"\\".contains($0) }:
                families[last].help = words[3]
            default: throw Fault(description: line)
            }
        }
        for family in families { try check(family) }
        return families
    }

    private static func check(_ family: Family) throws(Fault) {
        var seen: Set<String> = []
        for sample in family.samples {
            let labels = sample.labels.sorted { $0.key < $1.key }
            guard seen.insert("\(sample.name) \(labels)").inserted else {
                throw Fault(description: "\(sample.name) stands twice")
            }
        }
        let names = Set(family.samples.map(\.name))
        switch family.type {
        case "counter":
            guard names == [family.name + "_total"], family.samples.allSatisfy({ $0.value >= 0 }) else {
                throw Fault(description: "\(family.name) is no counter")
            }
        case "gauge":
            guard names == [family.name] else { throw Fault(description: "\(family.name) is no gauge") }
        default:
            try checkHistogram(family)
        }
    }

    private static func checkHistogram(_ family: Family) throws(Fault) {
        let buckets = family.samples.prefix { $0.name == family.name + "_bucket" }
        let rest = family.samples.dropFirst(buckets.count)
        guard rest.map(\.name) == [family.name + "_sum", family.name + "_count"],
            buckets.allSatisfy({ $0.labels.count == 1 }), buckets.last?.labels["le"] == "+Inf",
            buckets.last?.value == rest.last?.value
        else { throw Fault(description: "\(family.name) is no histogram") }
        let bounds = buckets.dropLast().map { $0.labels["le"].flatMap(Double.init) ?? .nan }
        // The canonical form of a number has a point or an exponent.
        guard buckets.dropLast().allSatisfy({ $0.labels["le"]?.contains { ".e".contains($0) } ?? false }),
            zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }),
            zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value <= $1.value })
        else { throw Fault(description: "the buckets of \(family.name)") }
    }

    private static func sample(_ line: String) throws(Fault) -> Sample {
        guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
            throw Fault(description: line)
        }
        var name = line[..<space]
        var labels: [String: String] = [:]
        if let open = name.firstIndex(of: "{") {
            guard name.last == "}" else { throw Fault(description: line) }
            for pair in name[name.index(after: open)...].dropLast().split(separator: ",") {
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, isName(parts[0]), !parts[0].contains(":"), parts[1].count >= 2,
                    parts[1].first == "\"", parts[1].last == "\"", !parts[1].dropFirst().dropLast().contains("\""),
                    labels.updateValue(String(parts[1].dropFirst().dropLast()), forKey: parts[0]) == nil
                else { throw Fault(description: line) }
            }
            name = name[..<open]
        }
        guard isName(String(name)) else { throw Fault(description: line) }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
                || $0 == 0x3A
        }
    }
}
