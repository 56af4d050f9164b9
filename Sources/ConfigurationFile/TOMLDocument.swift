import CTOML
import Glibc

/// A TOML file as a flat list of keys. Only this type uses the C interface.
public struct TOMLDocument: Sendable {
    public enum Value: Equatable, Sendable {
        case table
        case text(String)
        case integer(Int)
        case flag(Bool)
        case array([Value])
        /// A float, a date or a nested array, which none of our keys takes.
        case other
    }

    /// One key, with the names of the tables around it.
    public struct Entry: Equatable, Sendable {
        public let table: String
        public let key: String
        public let value: Value
        /// Counts from 1.
        public let line: Int
    }

    /// The keys in the order of the file.
    public let entries: [Entry]

    /// Reads the file at `path`, at most 64 KiB. It must belong to root or the reader, and must not be world-writable.
    public init(path: String) throws(ConfigurationError) {
        var document: OpaquePointer?
        var failure = ctoml_failure()
        let outcome = ctoml_open(path, &document, &failure)
        try self.init(outcome, document, failure, path: path)
    }

    /// Reads like `init(path:)`. Returns nil if the file does not exist.
    public init?(ifPresent path: String) throws(ConfigurationError) {
        var document: OpaquePointer?
        var failure = ctoml_failure()
        let outcome = ctoml_open(path, &document, &failure)
        if outcome == ctoml_unreadable, failure.system_error == ENOENT { return nil }
        try self.init(outcome, document, failure, path: path)
    }

    /// Parses `bytes`. `path` is used only in messages.
    public init(bytes: [UInt8], path: String) throws(ConfigurationError) {
        var document: OpaquePointer?
        var failure = ctoml_failure()
        let outcome = ctoml_parse(bytes, bytes.count, &document, &failure)
        try self.init(outcome, document, failure, path: path)
    }

    private init(
        _ outcome: ctoml_outcome, _ document: OpaquePointer?, _ failure: ctoml_failure, path: String
    ) throws(ConfigurationError) {
        defer { ctoml_close(document) }
        guard outcome == ctoml_parsed, let document else {
            throw ConfigurationError(problem: Self.problem(outcome, failure, path: path))
        }
        var entries: [Entry] = []
        var index = 0
        while index < ctoml_count(document) {
            let entry = ctoml_entry_at(document, index)
            entries.append(
                Entry(
                    table: Self.text(entry.table), key: Self.text(entry.key),
                    value: Self.value(of: entry, in: document), line: Int(entry.line)))
            // The elements of an array follow it and belong to it.
            index += 1 + entry.element_count
        }
        self.entries = entries
    }

    private static func value(of entry: ctoml_entry, in document: OpaquePointer) -> Value {
        switch entry.kind {
        case ctoml_kind_table: return .table
        case ctoml_kind_text: return .text(text(entry.text))
        case ctoml_kind_integer: return .integer(Int(entry.integer))
        case ctoml_kind_flag: return .flag(entry.flag)
        case ctoml_kind_array:
            let elements = entry.first_element..<(entry.first_element + entry.element_count)
            return .array(
                elements.map { index in
                    let element = ctoml_entry_at(document, index)
                    return element.kind == ctoml_kind_array ? .other : value(of: element, in: document)
                })
        default: return .other
        }
    }

    private static func text(_ text: ctoml_text) -> String {
        // SAFETY: the document owns `count` bytes at `bytes` and outlives this copy.
        String(decoding: UnsafeBufferPointer(start: text.bytes, count: text.count), as: UTF8.self)
    }

    private static func problem(
        _ outcome: ctoml_outcome, _ failure: ctoml_failure, path: String
    ) -> ConfigurationProblem {
        switch outcome {
        case ctoml_unreadable where failure.system_error == EACCES:
            ConfigurationProblem(
                path: path, what: "cannot be read: permission denied",
                cure: "run: chmod a+r \(path); if that is not enough: chmod a+x on the directories above it")
        case ctoml_unreadable:
            ConfigurationProblem(
                path: path, what: "cannot be read: \(description(ofError: failure.system_error))",
                cure: "check that the file exists and that this user may read it: ls -l \(path)")
        case ctoml_not_a_file:
            ConfigurationProblem(path: path, what: "is not a regular file", cure: "name a file")
        case ctoml_too_large:
            ConfigurationProblem(
                path: path, what: "is larger than \(ctoml_file_limit) bytes",
                cure: "keep only what differs from the defaults")
        case ctoml_writable_by_others:
            ConfigurationProblem(
                path: path, what: "is writable by every user of this machine", cure: "run: chmod o-w \(path)")
        case ctoml_foreign_owner:
            ConfigurationProblem(
                path: path, what: "must belong to root or to the user who reads it",
                cure: "run: chown root: \(path)")
        case ctoml_malformed:
            ConfigurationProblem(
                path: path, line: failure.line == 0 ? nil : Int(failure.line), what: "is not TOML: \(message(failure))",
                cure: "fix this line; texts need double quotes, lists need square brackets")
        default:
            ConfigurationProblem(path: path, what: "does not fit into memory", cure: "free some memory and start again")
        }
    }

    private static func message(_ failure: ctoml_failure) -> String {
        // SAFETY: the whole array is initialised, and the pointer is not kept.
        withUnsafeBytes(of: failure.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Describes an errno in words.
    public static func description(ofError number: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        ctoml_describe_error(number, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
