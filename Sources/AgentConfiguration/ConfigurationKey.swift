import ConfigurationFile

/// One key of the configuration file, with its name, bounds, help and place in `Configuration`.
struct ConfigurationKey: Sendable {
    /// The rule that a value must satisfy.
    enum Rule: Sendable {
        case flag
        case integer(ClosedRange<Int>)
        /// An absolute path of at most `limitBytes`. It may be empty if `optional` is true.
        case path(optional: Bool, limitBytes: Int)
        case choice([String])
        /// Names of files in /etc/pam.d, at most `limit`.
        case names(limit: Int)
        /// Users of this machine, at most `limit`.
        case users(limit: Int)
        /// Devices such as "ttyS0", at most `limit`.
        case serialConsoles(limit: Int)
        /// The absolute path of a program and its arguments, or an empty list.
        case command
        /// Times such as "20:00", at most `limit`.
        case timesOfDay(limit: Int)
        /// The name of an adapter, such as "hci0", or empty.
        case adapter
        /// An https address without query and fragment, or empty.
        case webPage
        /// Four to six digits, or empty.
        case boxID
        /// A D-Bus address of a Unix socket.
        case busAddress
    }

    let section: String
    let name: String
    let rule: Rule
    /// Full sentences, for the commented file and the manual page.
    let help: String
    /// True if a reload (SIGHUP) applies a change. The other keys need a restart.
    let reloadable: Bool
    /// Stores a value that satisfies `rule`.
    let store: @Sendable (TOMLDocument.Value, inout Configuration) -> Void
    /// Reads the value from a configuration.
    let load: @Sendable (Configuration) -> TOMLDocument.Value

    var fullName: String { "\(section).\(name)" }

    static func find(section: String, name: String) -> ConfigurationKey? {
        all.first { $0.section == section && $0.name == name }
    }

    /// Returns the key with a full name such as "login.hold_seconds".
    static func find(_ fullName: String) -> ConfigurationKey? {
        all.first { $0.fullName == fullName }
    }

    /// The sections, in the order of the commented file.
    static var sections: [String] {
        all.reduce(into: []) { names, key in
            if names.last != key.section { names.append(key.section) }
        }
    }
}

extension ConfigurationKey {
    typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    static func flag(
        _ section: String, _ name: String, _ place: Place<Bool>, reloadable: Bool = true, _ help: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, rule: .flag, help: help, reloadable: reloadable,
            store: { value, configuration in
                if case .flag(let flag) = value { configuration[keyPath: place] = flag }
            },
            load: { .flag($0[keyPath: place]) })
    }

    static func integer(
        _ section: String, _ name: String, _ bounds: ClosedRange<Int>, _ place: Place<Int>,
        reloadable: Bool = true, _ help: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, rule: .integer(bounds), help: help, reloadable: reloadable,
            store: { value, configuration in
                if case .integer(let number) = value { configuration[keyPath: place] = number }
            },
            load: { .integer($0[keyPath: place]) })
    }

    static func path(
        _ section: String, _ name: String, optional: Bool = false, limitBytes: Int, _ place: Place<String>,
        _ help: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, rule: .path(optional: optional, limitBytes: limitBytes), help: help,
            reloadable: false,
            store: { value, configuration in
                if case .text(let text) = value { configuration[keyPath: place] = text }
            },
            load: { .text($0[keyPath: place]) })
    }

    static func text(
        _ section: String, _ name: String, _ rule: Rule, _ place: Place<String>, reloadable: Bool = false,
        _ help: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, rule: rule, help: help, reloadable: reloadable,
            store: { value, configuration in
                if case .text(let text) = value { configuration[keyPath: place] = text }
            },
            load: { .text($0[keyPath: place]) })
    }

    static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ section: String, _ name: String, _ place: Place<Choice>, reloadable: Bool = false, _ help: String
    ) -> ConfigurationKey where Choice.RawValue == String {
        ConfigurationKey(
            section: section, name: name, rule: .choice(Choice.allCases.map(\.rawValue)), help: help,
            reloadable: reloadable,
            store: { value, configuration in
                if case .text(let text) = value, let choice = Choice(rawValue: text) {
                    configuration[keyPath: place] = choice
                }
            },
            load: { .text($0[keyPath: place].rawValue) })
    }

    static func list(
        _ section: String, _ name: String, _ rule: Rule, _ place: Place<[String]>, _ help: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, rule: rule, help: help, reloadable: true,
            store: { value, configuration in
                guard case .array(let elements) = value else { return }
                configuration[keyPath: place] = elements.compactMap { element in
                    if case .text(let text) = element { text } else { nil }
                }
            },
            load: { .array($0[keyPath: place].map { .text($0) }) })
    }
}
