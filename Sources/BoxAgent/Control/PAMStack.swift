import Glibc

/// Reads /etc/pam.d as far as the doctor needs it.
enum PAMStack {
    /// Limit in bytes; the rest of a longer service file is not read.
    private static let fileBytes = 65_536
    private static let moduleDirectories = [
        "/usr/lib/x86_64-linux-gnu/security", "/usr/lib/aarch64-linux-gnu/security", "/usr/lib/security",
        "/lib/security", "/usr/lib64/security",
    ]

    static func moduleIsInstalled() -> Bool {
        moduleDirectories.contains { access($0 + "/pam_boxagent.so", R_OK) == 0 }
    }

    /// Returns whether the service, or a file that it includes, names the module.
    static func names(module: String, service: String) -> Bool {
        lines(of: service).contains { words in words.contains { isModule($0, module) } }
    }

    /// Returns whether an auth line makes the module wait for a phone.
    static func asksAndWaits(_ lines: [[Substring]]) -> Bool {
        lines.contains { words in
            guard words.first == "auth", let module = words.firstIndex(where: isOurs) else { return false }
            return words[module...].contains { $0.hasPrefix("wait=") && $0 != "wait=0" }
        }
    }

    static func isOurs(_ word: Substring) -> Bool { isModule(word, "pam_boxagent.so") }

    /// Matches the module's bare name or its path.
    private static func isModule(_ word: Substring, _ name: String) -> Bool {
        word == name || word.hasSuffix("/" + name)
    }

    /// Returns the service's lines in words, with included files in place (pam.conf(5): @include, include, substack).
    static func lines(of service: String, depth: Int = 0) -> [[Substring]] {
        guard depth < 8, !service.contains("/") else { return [] }
        var found: [[Substring]] = []
        for line in file(of: service) where !line.hasPrefix("#") {
            let words = words(of: line)
            let isInclusion = ["include", "substack", "@include"].contains { keyword in
                words.contains { $0 == keyword }
            }
            if isInclusion, let last = words.last {
                found += lines(of: String(last), depth: depth + 1)
            } else {
                found.append(words)
            }
        }
        return found
    }

    /// Splits a line at blanks. Text in brackets is one word, without the brackets (pam.conf(5)).
    static func words(of line: Substring) -> [Substring] {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var (words, rest): ([Substring], Substring) = ([], line)
        while let start = rest.firstIndex(where: { !isBlank($0) }) {
            let isBracketed = rest[start] == "["
            rest = rest[start...].dropFirst(isBracketed ? 1 : 0)
            let end = rest.firstIndex { isBracketed ? $0 == "]" : isBlank($0) } ?? rest.endIndex
            words.append(rest[..<end])
            rest = rest[end...].dropFirst()
        }
        return words
    }

    /// Reads the administrator's file or else the distribution's (pam.conf(5), "vendordir").
    private static func file(of service: String) -> [Substring] {
        let own = "/etc/pam.d/" + service
        return lines(in: access(own, F_OK) == 0 ? own : "/usr/lib/pam.d/" + service)
    }

    static func lines(in path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: fileBytes)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
    }
}
