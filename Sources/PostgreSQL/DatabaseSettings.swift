/// How to reach a server, as libpq's keywords and values. Nothing comes from the environment or a home directory.
///
/// Keywords: https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS
public struct DatabaseSettings: Sendable {
    /// A path at which no user can have a file. libpq finds nothing there and continues without the file. An empty
    /// value would mean the file in the home directory.
    static let noFile = "/dev/null/none"
    static let defaults: [(String, String)] = [
        ("target_session_attrs", "read-write"), ("tcp_user_timeout", "5000"), ("connect_timeout", "5"),
        ("application_name", "boxagent"), ("client_encoding", "UTF8"), ("gssencmode", "disable"),
        ("passfile", noFile), ("sslcert", noFile), ("sslkey", noFile), ("sslrootcert", noFile), ("sslcrl", noFile),
    ]
    /// Keywords that would read settings from elsewhere, or would carry a secret in a `String`.
    private static let refusedKeywords: Set<String> = ["service", "password", "sslpassword"]

    let parameters: [(keyword: String, value: String)]

    /// The number of servers. libpq takes the first that answers and is writable.
    public var hostCount: Int {
        parameters.filter { ["host", "hostaddr"].contains($0.keyword) && !$0.value.isEmpty }
            .map { $0.value.utf8.count { $0 == UInt8(ascii: ",") } + 1 }.max() ?? 1
    }

    /// - Parameter parameters: Must have `user` and `dbname`, and either `hostaddr` or a `host` that is the directory
    ///   of a Unix socket. A host name would block the event loop during its lookup. A password comes from `passfile`.
    /// - Throws: `unreachable` with a text that says which parameter is wrong.
    public init(_ parameters: [(String, String)]) throws(DatabaseError) {
        var given: [String: String] = [:]
        for (keyword, value) in parameters {
            guard !keyword.utf8.contains(0), !value.utf8.contains(0) else {
                throw .unreachable("a setting of the database connection contains a NUL byte")
            }
            guard !Self.refusedKeywords.contains(keyword) else {
                throw .unreachable("\(keyword) is not supported; write the password into the file that passfile names")
            }
            given[keyword] = value
        }
        for needed in ["user", "dbname"] where given[needed, default: ""].isEmpty {
            throw .unreachable("\(needed) of the database connection is not set; set it")
        }
        let hosts = given["host", default: ""].split(separator: ",", omittingEmptySubsequences: false)
        let isLocal = hosts.allSatisfy { $0.utf8.first == UInt8(ascii: "/") || $0.utf8.first == UInt8(ascii: "@") }
        guard isLocal || !given["hostaddr", default: ""].isEmpty else {
            throw .unreachable(
                "hostaddr is not set, and host is not a socket's directory; give the server's address, not its name")
        }
        for (keyword, value) in Self.defaults where given[keyword] == nil { given[keyword] = value }
        self.parameters = given.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
