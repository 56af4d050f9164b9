import ConfigurationFile
import PageCore

/// The configuration of the page, from a TOML file.
struct PageConfiguration: Equatable, Sendable {
    enum Listen: Equatable, Sendable {
        /// A port of localhost.
        case port(Int)
        /// A Unix socket at this path.
        case path(String)
    }

    static let defaultPath = "/etc/boxsite/page.toml"
    private static let keys = [
        "origin", "listen", "control", "administrator_header", "proxy_secret_sha256", "address_header",
    ]

    /// The page's address for browsers, from `[page]`.
    private(set) var origin: PageOrigin
    private(set) var listen = Listen.path("/run/boxsite-page/http.sock")
    /// boxsited's socket.
    private(set) var control = "/run/boxsite/control.sock"
    /// The lower-case name of the header in which the proxy names the signed-in user. Nil means sign-in with passkeys.
    private(set) var administratorHeader: String?
    /// The secret that the proxy sends. Without one, no administrator header is accepted.
    private(set) var proxySecret: ProxySecret?
    /// The lower-case name of the header in which the proxy names the browser's address. Nil means that the page does
    /// not know addresses.
    private(set) var addressHeader: String?

    /// Reads the file at `path`. Throws all its problems.
    static func load(path: String) throws(ConfigurationError) -> PageConfiguration {
        try read(TOMLDocument(path: path), path: path)
    }

    static func read(_ document: TOMLDocument, path: String) throws(ConfigurationError) -> PageConfiguration {
        var problems: [ConfigurationProblem] = []
        var found: PageConfiguration?
        for entry in document.entries where entry.table == "page" && entry.key == "origin" {
            if case .text(let text) = entry.value, let origin = PageOrigin(text) {
                found = PageConfiguration(origin: origin)
            } else {
                problems.append(
                    ConfigurationProblem(
                        path: path, line: entry.line, what: "origin is not valid",
                        cure: "write it as https://boxes.example.org, or http://localhost:8080 for a trial"))
            }
        }
        if found == nil, problems.isEmpty {
            problems.append(
                ConfigurationProblem(
                    path: path, what: "has no [page] origin, the address at which browsers find the page",
                    cure: "write [page] origin = \"https://boxes.example.org\", with the name that the proxy serves"))
        }
        // Continue without an origin, to report all other problems.
        guard var configuration = found ?? PageOrigin("https://unknown").map({ PageConfiguration(origin: $0) }) else {
            throw ConfigurationError(
                problem: ConfigurationProblem(path: path, what: "is not valid", cure: "see above"))
        }
        for entry in document.entries where entry.value != .table && entry.key != "origin" {
            if let (what, cure) = configuration.take(entry) {
                problems.append(ConfigurationProblem(path: path, line: entry.line, what: what, cure: cure))
            }
        }
        if case .port = configuration.listen {
            let headers = [
                ("administrator_header", configuration.administratorHeader),
                ("address_header", configuration.addressHeader),
            ]
            for (key, header) in headers where header != nil {
                problems.append(
                    ConfigurationProblem(
                        path: path, what: "\(key) is set, but listen is a port, where any user can send that header",
                        cure: "listen at a Unix socket that only the proxy can open: unix:/run/boxsite-page/http.sock"))
            }
        }
        if configuration.administratorHeader != nil, configuration.proxySecret == nil {
            problems.append(
                ConfigurationProblem(
                    path: path,
                    what: "administrator_header is set without proxy_secret_sha256, so any program of the proxy's user "
                        + "could name an administrator",
                    cure: "make a secret; see 'Use an existing sign-in' in /usr/share/doc/boxsite/how-to/run-a-site.md")
            )
        }
        if let error = ConfigurationError(problems: problems) { throw error }
        return configuration
    }

    /// Takes one key, or returns its problem and cure.
    private mutating func take(_ entry: TOMLDocument.Entry) -> (String, String)? {
        switch (entry.table, entry.key, entry.value) {
        case ("page", "listen", .text(let text)):
            guard let listen = Self.listen(text) else {
                return (
                    "\(text) is not a valid address to listen at",
                    "write it as unix:/run/boxsite-page/http.sock, or localhost:8080 for this machine only"
                )
            }
            self.listen = listen
        case ("page", "control", .text(let text)) where text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= 107:
            control = text
        case ("page", "administrator_header", .text(let text)):
            guard text.isEmpty || Self.isHeader(text) else {
                return ("\(text) is not a valid header name", "write it as X-Remote-User")
            }
            administratorHeader = text.isEmpty ? nil : text.lowercased()
        case ("page", "proxy_secret_sha256", .text(let text)):
            guard text.isEmpty || ProxySecret(hash: text) != nil else {
                return ("proxy_secret_sha256 is not a SHA-256", "write the 64 digits that sha256sum prints")
            }
            proxySecret = ProxySecret(hash: text)
        case ("page", "address_header", .text(let text)):
            guard text.isEmpty || Self.isHeader(text) else {
                return ("\(text) is not a valid header name", "write it as X-Real-IP")
            }
            addressHeader = text.isEmpty ? nil : text.lowercased()
        default:
            let cure = Spelling.nearest(to: entry.key, among: Self.keys).map { "did you mean \($0)?" }
            return (
                "[\(entry.table)] has no key \(entry.key), or its value is not valid",
                cure ?? "[page] has \(Self.keys.joined(separator: ", "))"
            )
        }
        return nil
    }

    private static func listen(_ text: String) -> Listen? {
        if text.hasPrefix("unix:/") {
            let path = String(text.dropFirst(5))
            // A Unix socket's address holds 107 bytes (unix(7)).
            return path.utf8.count <= 107 ? .path(path) : nil
        }
        guard text.hasPrefix("localhost:"), let port = UInt16(text.dropFirst(10)), port > 0 else { return nil }
        return .port(Int(port))
    }

    private static func isHeader(_ text: String) -> Bool {
        text.utf8.count <= 64
            && text.utf8.allSatisfy {
                (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
            }
    }
}
