import Glibc
import TextOutput

/// The command line of a daemon, read: the switches and options that were given to it.
public struct DaemonArguments: Equatable, Sendable {
    /// The switches, in their order.
    public let switches: [String]
    private let program: String
    private let values: [String: String]

    /// What was given to an option; of an option that was given twice, the last. Nil: it was not given.
    public func value(of option: String) -> String? { values[option] }

    /// What a daemon takes.
    public struct Grammar: Sendable {
        private let program: String
        private let version: String
        private let usage: String
        private let switches: Set<String>
        /// What each option wants, such as "a file".
        private let options: [String: String]
        /// Further words that are answered at once, as `--version` is.
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

        /// Reads the words behind the program's name, from the left: what comes first, a wrong word or one that is answered at once,
        /// decides.
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

        /// Of a word that is no argument so much is shown, in characters.
        private static let shown = 64

        private func answer(to word: String) -> String? {
            switch word {
            case "--help", "-h": usage
            case "--version": "\(program) \(version)\n"
            default: texts[word]?()
            }
        }

        /// The program ends because of its arguments.
        public func refusal(_ what: String) -> DaemonEnd {
            DaemonEnd(status: DaemonEnd.usage, complaint: "\(program): \(what)\n\(usage)")
        }
    }
}

/// How a daemon ends that does not begin: with an answer, or with what is wrong.
public struct DaemonEnd: Error, Equatable, Sendable {
    /// EX_USAGE and EX_CONFIG of sysexits.h(3head).
    public static let usage: Int32 = 64
    public static let configuration: Int32 = 78

    public let status: Int32
    /// For standard output where the status is 0, else for standard error.
    public let text: String

    public init(answer: String) {
        (status, text) = (0, answer)
    }

    public init(status: Int32, complaint: String) {
        (self.status, text) = (status, complaint)
    }

    /// Writes the text where it belongs; the exit status.
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
    /// The switch and the option of a daemon that reads a file.
    public static let checkSwitch = "--check-config"
    public static let fileOption = "--config"

    /// The file that `--config` names, or `usual`, as `load` reads it. Ends with what is wrong with it, and where only that was asked, with
    /// the word that nothing is.
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
    /// Of a daemon that reads a file.
    public static func withFile(
        _ program: String, version: String, usage: String, texts: [String: @Sendable () -> String] = [:]
    ) -> Self {
        Self(
            program, version: version, usage: usage, switches: [DaemonArguments.checkSwitch],
            options: [DaemonArguments.fileOption: "a file"], texts: texts)
    }
}
