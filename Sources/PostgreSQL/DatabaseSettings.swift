/// How a server is reached: libpq's keywords and values, nothing from the environment or a home directory.
///
/// Keywords: https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS
public struct DatabaseSettings: Sendable {
    /// No file is there, whoever runs this: what is asked for here is not found, and libpq goes on without it. An empty value
    /// would mean the file in the home directory.
    static let noFile = "/dev/null/none"
    static let defaults: [(String, String)] = [
        ("target_session_attrs", "read-write"), ("tcp_user_timeout", "5000"), ("connect_timeout", "5"),
        ("application_name", "boxagent"), ("client_encoding", "UTF8"), ("gssencmode", "disable"),
        ("passfile", noFile), ("sslcert", noFile), ("sslkey", noFile), ("sslrootcert", noFile), ("sslcrl", noFile),
    ]
    /// What would be read from elsewhere, or would carry a secret in a `String`.
    private static let refusedKeywords: Set<String> = ["service", "password", "sslpassword"]

    let parameters: [(keyword: String, value: String)]

    /// How many servers are named: libpq takes the first one that answers and can be written to.
    public var hostCount: Int {
        parameters.filter { ["host", "hostaddr"].contains($0.keyword) && !$0.value.isEmpty }
            .map { $0.value.utf8.count { $0 == UInt8(ascii: ",") } + 1 }.max() ?? 1
    }

    /// - Parameter parameters: must name `user` and `dbname`, and a server by `hostaddr` or by a `host` that is a directory
    ///   with a Unix socket: a name would be looked up in the middle of the loop. A password comes from `passfile`.
    /// - Throws: `unreachable` with what is wrong.
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
                "neither hostaddr nor a directory as host is set; give the server's address, not its name")
        }
        for (keyword, value) in Self.defaults where given[keyword] == nil { given[keyword] = value }
        self.parameters = given.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
