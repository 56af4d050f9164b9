import Glibc
import TextOutput

/// The parsed command line of a daemon, with its switches and options.
public struct DaemonArguments: Equatable, Sendable {
    /// The switches, in their order.
    public let switches: [String]
    private let program: String
    private let values: [String: String]

    /// Returns the value of an option, or nil if it is missing. The last value of a repeated option counts.
    public func value(of option: String) -> String? { values[option] }

    /// The switches and options that a daemon accepts.
    public struct Grammar: Sendable {
        private let program: String
        private let version: String
        private let usage: String
        private let switches: Set<String>
        /// The kind of value that each option needs, such as "a file".
        private let options: [String: String]
        /// Further words that the program answers at once, like `--version`.
        private let texts: [String: @Sendable () -> String]

        public init(
            _ program: String, version: String, usage: String, switches: Set<String> = [],
            options: [String: String] = [:], texts: [String: @Sendable () -> String] = [:]
        ) {
            self.program = program
            self.version = version
            self.usage = usage
            self.switches = switches
            self.options = options
            self.texts = texts
        }

        /// Reads the words after the program's name from left to right. The first unknown word, or the first one with
        /// an immediate answer, ends the program.
        public func read(_ words: some Sequence<String>) throws(DaemonEnd) -> DaemonArguments {
            var given: [String] = []
            var values: [String: String] = [:]
            var rest = Array(words)[...]
            while let word = rest.popFirst() {
                if let wanted = options[word] {
                    guard let value = rest.popFirst() else { throw refusal("\(word) needs \(wanted)") }
                    values[word] = value
                } else if switches.contains(word) {
                    given.append(word)
                } else if let answer = answer(to: word) {
                    throw DaemonEnd(answer: answer)
                } else {
                    throw refusal("unknown argument '\(String(word.prefix(Self.shown)).escaped)'")
                }
            }
            return DaemonArguments(switches: given, program: program, values: values)
        }

        /// The most characters of an unknown argument that a message shows.
        private static let shown = 64

        private func answer(to word: String) -> String? {
            switch word {
            case "--help", "-h": usage
            case "--version": "\(program) \(version)\n"
            default: texts[word]?()
            }
        }

        /// Returns the end of the program because of its arguments.
        public func refusal(_ what: String) -> DaemonEnd {
            DaemonEnd(status: DaemonEnd.usage, complaint: "\(program): \(what)\n\(usage)")
        }
    }
}

/// The early end of a daemon, with an answer or a complaint.
public struct DaemonEnd: Error, Equatable, Sendable {
    /// EX_USAGE and EX_CONFIG of sysexits.h(3head).
    public static let usage: Int32 = 64
    public static let configuration: Int32 = 78

    public let status: Int32
    /// The text for standard output if the status is 0, otherwise for standard error.
    public let text: String

    public init(answer: String) {
        (status, text) = (0, answer)
    }

    public init(status: Int32, complaint: String) {
        (self.status, text) = (status, complaint)
    }

    /// Writes the text and returns the exit status.
    public func say() -> Int32 {
        let descriptor: Int32 = status == 0 ? 1 : 2
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // SAFETY: pointer and length describe `rest`, which outlives the call.
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { break }
            rest = rest.dropFirst(written)
        }
        return status
    }
}

// MARK: - Daemons with a configuration

extension DaemonArguments {
    /// The switch and the option of a daemon with a configuration file.
    public static let checkSwitch = "--check-config"
    public static let fileOption = "--config"

    /// Loads the file of `--config`, or else the one at `usual`. Throws the problems of the file. If only a check was
    /// requested, throws the answer that there are none.
    public func configuration<Configuration, Refusal: Error & CustomStringConvertible>(
        usual: String, load: (String) throws(Refusal) -> Configuration
    ) throws(DaemonEnd) -> (Configuration, path: String) {
        let path = value(of: Self.fileOption) ?? usual
        let configuration: Configuration
        do throws(Refusal) {
            configuration = try load(path)
        } catch {
            throw DaemonEnd(
                status: DaemonEnd.configuration, complaint: "\(program): the configuration is refused\n\(error)\n")
        }
        guard !switches.contains(Self.checkSwitch) else { throw DaemonEnd(answer: "\(path): no problems\n") }
        return (configuration, path)
    }
}

extension DaemonArguments.Grammar {
    /// Returns the grammar of a daemon with a configuration file.
    public static func withFile(
        _ program: String, version: String, usage: String, texts: [String: @Sendable () -> String] = [:]
    ) -> Self {
        Self(
            program, version: version, usage: usage, switches: [DaemonArguments.checkSwitch],
            options: [DaemonArguments.fileOption: "a file"], texts: texts)
    }
}
