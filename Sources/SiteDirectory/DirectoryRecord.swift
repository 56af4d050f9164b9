import SiteControl
import Wire

/// The input and output of the lookup process: names and findings in sequence, each followed by a zero byte.
enum DirectoryRecord {
    /// Encodes a name for the process: one letter, and the name.
    static func text(_ name: DirectoryName) -> [UInt8] {
        [UInt8(ascii: name.kind == .group ? "g" : "u")] + Array(name.name.utf8) + [0]
    }

    static func names(_ bytes: [UInt8]) -> [DirectoryName] {
        bytes.split(separator: 0).compactMap { part in
            guard let name = String(validating: part.dropFirst(), as: UTF8.self) else { return nil }
            return DirectoryName(part.first == UInt8(ascii: "g") ? .group : .user, name)
        }
    }

    /// Encodes a finding: kind, groups as numbers or `-`, the account's name, and the reason, separated by tabs.
    static func text(_ finding: DirectoryFinding) -> [UInt8] {
        let groups = finding.groups.map { $0.map { "\($0)" }.joined(separator: ",") } ?? "-"
        return Array("\(finding.kind.rawValue)\t\(groups)\t\(finding.name ?? "")\t\(finding.why ?? "")".utf8).filter {
            $0 != 0
        } + [0]
    }

    /// Returns the findings that are complete.
    static func findings(_ bytes: [UInt8]) -> [DirectoryFinding] {
        guard let end = bytes.lastIndex(of: 0) else { return [] }
        return bytes[..<end].split(separator: 0).map { part in
            var finding = DirectoryFinding()
            let fields = part.split(separator: 9, maxSplits: 3, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard fields.count == 4, let kind = DirectoryFinding.Kind(rawValue: fields[0]) else {
                finding.why = "the lookup process sent an invalid answer"
                return finding
            }
            finding.kind = kind
            finding.groups = fields[1] == "-" ? nil : fields[1].split(separator: ",").compactMap { UInt8($0) }
            finding.name = fields[2].isEmpty ? nil : fields[2]
            finding.why = fields[3].isEmpty ? nil : fields[3]
            return finding
        }
    }
}
