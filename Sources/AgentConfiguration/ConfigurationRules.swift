import ConfigurationFile
import Names
import PhoneMessages

extension ConfigurationKey {
    /// Returns the problem of `value` and its cure, usually `expectation`. Returns nil if the value is valid.
    func problem(with value: TOMLDocument.Value, _ expectation: String) -> (what: String, cure: String)? {
        switch (rule, value) {
        case (.flag, .flag): return nil
        case (.integer(let bounds), .integer(let number)):
            return bounds.contains(number) ? nil : ("is out of range", expectation)
        case (.path(let optional, let limitBytes), .text(let text)):
            if text.isEmpty && optional { return nil }
            guard text.hasPrefix("/") else { return ("is not an absolute path", expectation) }
            guard Self.isPlain(text) else { return ("contains a control character", expectation) }
            return text.utf8.count <= limitBytes
                ? nil : ("is longer than \(limitBytes) bytes", "use a shorter path")
        case (.choice(let names), .text(let text)):
            return names.contains(text) ? nil : ("is not one of the choices", expectation)
        case (.names(let limit), .array(let elements)):
            return Self.namesProblem(elements, limit: limit, expectation)
        case (.users(let limit), .array(let elements)):
            return Self.usersProblem(elements, limit: limit, expectation)
        case (.serialConsoles(let limit), .array(let elements)):
            guard elements.count <= limit else { return ("has more than \(limit) elements", expectation) }
            return elements.allSatisfy(Self.isSerialConsole)
                ? nil : ("has an element that is not a serial line", expectation)
        case (.timesOfDay(let limit), .array(let elements)):
            let times = elements.compactMap { if case .text(let text) = $0 { text } else { nil } }
            guard elements.count <= limit else { return ("has more than \(limit) times", expectation) }
            return times.count == elements.count && ClosingTimes(times) != nil
                ? nil : ("has an element that is not a time of day", expectation)
        case (.command, .array(let elements)):
            return Self.commandProblem(elements, expectation)
        case (.adapter, .text(let text)):
            return text.isEmpty || Self.isAdapter(text) ? nil : ("is not the name of an adapter", expectation)
        case (.webPage, .text(let text)):
            return text.isEmpty || Self.isWebPage(text) ? nil : ("is not a valid https address", expectation)
        case (.boxID, .text(let text)):
            return text.isEmpty || Self.isBoxID(text) ? nil : ("must be four to six digits", expectation)
        case (.busAddress, .text(let text)):
            return Self.isBusAddress(text) ? nil : ("is not a valid address of a bus on this machine", expectation)
        default: return ("has the wrong type", expectation)
        }
    }

    /// The advice on how to write the value in a file, as the rest of a sentence.
    var expectation: String {
        "write \(wanted)\(takesText ? " in double quotes" : ""), for instance \(name) = \(ConfigurationText.render(sample))"
    }

    /// The advice on which argument to give `boxagent config set`, as the rest of a sentence.
    var argument: String {
        var text = ConfigurationText.render(sample)
        if case .text(let plain) = sample { text = plain }
        if case .array = sample { text = "'\(text)'" }
        return "give \(wanted), for instance: boxagent config set \(fullName) \(text)"
    }

    private var wanted: String {
        switch rule {
        case .flag: "true or false"
        case .integer(let bounds): "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .path: "an absolute path"
        case .choice(let names): names.joined(separator: " or ")
        case .names(let limit): "a list of at most \(limit) PAM services, each a name in /etc/pam.d"
        case .users(let limit): "a list of at most \(limit) user names"
        case .serialConsoles(let limit): "a list of at most \(limit) names below /dev"
        case .timesOfDay: "times as hours and minutes"
        case .adapter: "the name that 'bluetoothctl list' shows"
        case .webPage: "its https address"
        case .boxID: "four to six digits"
        case .busAddress: "the address of a socket"
        case .command: "a program's absolute path and its arguments"
        }
    }

    /// A value that satisfies the rule. It is the default if that is a good example.
    private var sample: TOMLDocument.Value {
        func list(_ texts: String...) -> TOMLDocument.Value { .array(texts.map { .text($0) }) }
        return switch rule {
        case .flag, .integer, .path, .choice, .busAddress: load(Configuration())
        case .names: list("login")
        case .users: list("_greetd")
        case .serialConsoles: list("ttyS0")
        case .timesOfDay: list("12:00", "20:00")
        case .adapter: .text("hci0")
        case .webPage: .text("https://phone.example.org/")
        case .boxID: .text("1128")
        case .command: list("/usr/bin/loginctl", "lock-session", "{session}")
        }
    }

    /// Allows only addresses that can be printed and drawn without escaping. They are ASCII, have neither query nor
    /// fragment, and contain only characters of RFC 3986 section 2.
    private static func isWebPage(_ text: String) -> Bool {
        let rest = text.utf8.dropFirst("https://".utf8.count)
        return text.hasPrefix("https://") && rest.first != 0x2F && (1...192).contains(rest.count)
            && rest.allSatisfy { (0x21...0x7E).contains($0) && !"\"#?<>\\^`{|}".utf8.contains($0) }
    }

    private static func isBoxID(_ text: String) -> Bool {
        (4...6).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isAdapter(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst(3)
        return text.hasPrefix("hci") && (1...5).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Accepts the name of a device, except a virtual terminal: those belong to seats, which have their own rule.
    private static func isSerialConsole(_ value: TOMLDocument.Value) -> Bool {
        guard case .text(let name) = value, (1...32).contains(name.utf8.count) else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        let isVirtual = name.hasPrefix("tty") && name.utf8.dropFirst(3).allSatisfy(isDigit)
        return !isVirtual && name.utf8.first.map(isLetter) == true
            && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x5F }
    }

    private static func isBusAddress(_ text: String) -> Bool {
        text.hasPrefix("unix:path=/") && text.utf8.count <= 200 && isPlain(text)
            && !text.contains { $0 == ";" || $0 == "," }
    }

    /// The key with its default, as a file would have it.
    var example: String { "\(name) = \(ConfigurationText.render(load(Configuration())))" }

    /// Returns false if there are control characters. The text goes into paths, arguments and messages.
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    private static func namesProblem(
        _ elements: [TOMLDocument.Value], limit: Int, _ cure: String
    ) -> (what: String, cure: String)? {
        guard elements.count <= limit else { return ("has more than \(limit) elements", cure) }
        for element in elements {
            guard case .text(let name) = element else { return ("has an element that is not a text", cure) }
            let isFileName =
                !name.isEmpty && name.utf8.count <= 64 && !name.contains("/") && !name.hasPrefix(".")
                && isPlain(name)
            guard isFileName else { return ("has an element that is not the name of a PAM service", cure) }
        }
        return nil
    }

    private static func usersProblem(
        _ elements: [TOMLDocument.Value], limit: Int, _ cure: String
    ) -> (what: String, cure: String)? {
        guard elements.count <= limit else { return ("has more than \(limit) elements", cure) }
        for element in elements {
            guard case .text(let name) = element else { return ("has an element that is not a text", cure) }
            guard UserName.isAllowed(Array(name.utf8)) else {
                return ("has an element that is not a valid user name", cure)
            }
        }
        return nil
    }

    private static func commandProblem(
        _ elements: [TOMLDocument.Value], _ cure: String
    ) -> (what: String, cure: String)? {
        guard elements.count <= 32 else { return ("has more than 32 elements", cure) }
        for (index, element) in elements.enumerated() {
            guard case .text(let argument) = element else { return ("has an element that is not a text", cure) }
            guard argument.utf8.count <= 1024 else { return ("has an element longer than 1024 bytes", cure) }
            guard isPlain(argument) else { return ("has an element with a control character", cure) }
            if index == 0, !argument.hasPrefix("/") || argument.contains("{") {
                return ("must begin with a program's absolute path", cure)
            }
            if let unknown = CommandPlaceholders.unknownPlaceholder(in: argument) {
                return (
                    "has the unknown placeholder \(unknown)",
                    "write {user}, {session} or {tty}; a literal brace cannot be written here"
                )
            }
        }
        return nil
    }
}
