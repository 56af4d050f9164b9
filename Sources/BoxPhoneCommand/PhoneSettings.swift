import ConfigurationFile
import GATTProfile
import TextOutput

/// Settings that need not be repeated on every command line.
struct PhoneSettings: Equatable, Sendable {
    enum Radio: String, CaseIterable {
        case loopback
        case bluez
    }

    enum Via: String, CaseIterable {
        case auto
        case gatt
        case l2cap

        var preference: BearerPreference {
            switch self {
            case .auto: .automatic
            case .gatt: .gatt
            case .l2cap: .l2cap
            }
        }
    }

    static let defaultAir = "/run/boxagent/air"

    /// The vault's directory, or nil for the XDG default.
    var directory: String?
    /// Nil means Bluetooth, unless a directory of the loopback radio is set.
    var radio: Radio?
    /// The adapter's name. Empty means the first adapter that is powered.
    var adapter = ""
    /// The loopback radio's directory, or nil for the default of boxagentd.
    var air: String?
    var via = Via.auto

    var chosenRadio: Radio { radio ?? (air == nil ? .bluez : .loopback) }
}

extension PhoneSettings {
    /// One key of config.toml: it stores a valid value and describes the valid values.
    private struct Key: Sendable {
        let name: String
        let expectation: String
        let store: @Sendable (String, inout PhoneSettings) -> Bool
    }

    private static let keys: [Key] = [
        Key(name: "radio", expectation: choices(of: Radio.self)) { text, settings in
            Radio(rawValue: text).map { settings.radio = $0 } != nil
        },
        Key(name: "adapter", expectation: "an adapter's name such as \"hci0\", or \"\"") { text, settings in
            settings.adapter = text
            return text.isEmpty || (text.hasPrefix("hci") && UInt16(text.dropFirst(3)) != nil)
        },
        Key(name: "directory", expectation: "an absolute path") { text, settings in
            settings.directory = text
            return text.hasPrefix("/")
        },
        Key(name: "air", expectation: "an absolute path") { text, settings in
            settings.air = text
            return text.hasPrefix("/")
        },
        Key(name: "via", expectation: choices(of: Via.self)) { text, settings in
            Via(rawValue: text).map { settings.via = $0 } != nil
        },
    ]

    static var keyNames: [String] { keys.map(\.name) }

    /// Reads a file's settings; missing keys keep their defaults. Throws all problems of the file, each with its line.
    init(_ document: TOMLDocument, path: String) throws(ConfigurationError) {
        var problems: [ConfigurationProblem] = []
        for entry in document.entries {
            guard let (what, cure) = take(entry) else { continue }
            problems.append(ConfigurationProblem(path: path, line: entry.line, what: what, cure: cure))
        }
        if let error = ConfigurationError(problems: problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }) { throw error }
    }

    private mutating func take(_ entry: TOMLDocument.Entry) -> (what: String, cure: String)? {
        let name = (entry.table.isEmpty ? "" : entry.table + ".") + entry.key
        guard let key = Self.keys.first(where: { $0.name == name }) else {
            let known = Self.keyNames.joined(separator: ", ")
            let nearest = Spelling.nearest(to: entry.key, among: Self.keyNames)
            let isBelowSection = entry.value == .table || !entry.table.isEmpty
            return (
                "there is no \(entry.value == .table ? "section [\(name)]" : "key \(name)")".escaped,
                isBelowSection
                    ? "keys do not belong in a section; the keys are " + known
                    : nearest.map { "did you mean \($0)?" } ?? "the keys are " + known
            )
        }
        guard case .text(let text) = entry.value, !text.unicodeScalars.contains(where: { $0.value < 0x20 }),
            key.store(text, &self)
        else { return ("the value of \(name) is not valid", "write \(key.expectation), in double quotes") }
        return nil
    }

    private static func choices<Choice: RawRepresentable & CaseIterable>(
        of type: Choice.Type
    ) -> String where Choice.RawValue == String {
        Choice.allCases.map(\.rawValue).joined(separator: " or ")
    }
}
