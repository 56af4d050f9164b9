/// The settings in sssd.conf for how long sssd answers from its cache (sssd.conf(5)).
struct SSSDSettings: Sendable, Equatable {
    /// The longest cache time, in seconds, with which leavers are noticed in time. Two rounds of 60 s come on top.
    static let longest = 120
    /// sssd's default cache time, in seconds.
    static let usual = 5_400

    /// The cache time in seconds of each domain, by name.
    var domains: [(name: String, seconds: Int)] = []

    static func == (left: SSSDSettings, right: SSSDSettings) -> Bool {
        left.domains.elementsEqual(right.domains) { $0 == $1 }
    }

    /// Reads the text of one or more files. Later values override earlier ones.
    init(_ text: String) {
        var section = ""
        var general: [String: Int] = [:]
        var users: [String: Int] = [:]
        var names: [String] = []
        for line in text.split(separator: "\n") {
            let line = Self.trimmed(line)
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
                if section.hasPrefix("domain/"), !names.contains(section) { names.append(section) }
            } else if let equals = line.firstIndex(of: "="), !line.hasPrefix("#"), !line.hasPrefix(";") {
                let key = Self.trimmed(line[..<equals])
                let value = Int(Self.trimmed(line[line.index(after: equals)...]))
                if key == "entry_cache_timeout" { general[section] = value }
                if key == "entry_cache_user_timeout" { users[section] = value }
            }
        }
        domains = names.map { ($0, users[$0] ?? general[$0] ?? Self.usual) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text[...]
        while let first = rest.first, first == " " || first == "\t" || first == "\r" { rest = rest.dropFirst() }
        while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest = rest.dropLast() }
        return rest
    }

    /// The problems, and what to write.
    var problems: [String] {
        if domains.isEmpty { return ["sssd.conf does not name a domain: is this machine in a directory?"] }
        return domains.filter { $0.seconds > Self.longest }.map { domain in
            "[\(domain.name)] caches answers for \(domain.seconds) s: write entry_cache_timeout = \(Self.longest) "
                + "there, and restart sssd"
        }
    }
}
