import ConfigurationFile
import DaemonTool
import Testing

@Suite("The command line of a daemon")
struct DaemonArgumentsTests {
    private let grammar = DaemonArguments.Grammar.withFile(
        "exampled", version: "1.2.3", usage: "usage: exampled\n", texts: ["--print-defaults": { "key = 1\n" }])

    private func end(_ words: String...) -> DaemonEnd? {
        do throws(DaemonEnd) {
            _ = try grammar.read(words)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the configuration and its path, or the program's end. `load` returns the path as the configuration.
    private func configured(_ words: String...) -> Result<String, DaemonEnd> {
        do throws(DaemonEnd) {
            let (configuration, path) = try grammar.read(words).configuration(
                usual: "/etc/usual.toml", load: { (path: String) throws(ConfigurationError) in path })
            return .success("\(configuration) of \(path)")
        } catch {
            return .failure(error)
        }
    }

    @Test("Help, version and the program's own texts are answered, and the program ends well")
    func answers() {
        #expect(end("--help") == DaemonEnd(answer: "usage: exampled\n"))
        #expect(end("-h") == DaemonEnd(answer: "usage: exampled\n"))
        #expect(end("--version") == DaemonEnd(answer: "exampled 1.2.3\n"))
        #expect(end("--print-defaults") == DaemonEnd(answer: "key = 1\n"))
        #expect(end("--help")?.status == 0)
    }

    @Test("A word that is no argument, and an option without its value, end the program with status 64 and the usage")
    func refusals() {
        #expect(
            end("--confg", "x")
                == DaemonEnd(status: 64, complaint: "exampled: unknown argument '--confg'\nusage: exampled\n"))
        #expect(end("stray")?.status == 64)
        #expect(
            end("--config") == DaemonEnd(status: 64, complaint: "exampled: --config needs a file\nusage: exampled\n"))
    }

    @Test("What comes first decides: an answer before a wrong word, or a wrong word before an answer")
    func order() {
        #expect(end("--version", "stray")?.status == 0)
        #expect(end("stray", "--version")?.status == 64)
        #expect(end("--check-config", "--help")?.status == 0)
    }

    @Test("A wrong word drives no terminal, and only its beginning is shown")
    func harmless() {
        #expect(end("\u{1b}[2J")?.text.hasPrefix("exampled: unknown argument '\\u{1b}[2J'\n") == true)
        let long = String(repeating: "x", count: 1_000)
        #expect(end(long)?.text == "exampled: unknown argument '\(long.prefix(64))'\nusage: exampled\n")
    }

    @Test("Switches are told in their order, and of an option that is given twice the last counts")
    func given() throws {
        let grammar = DaemonArguments.Grammar(
            "exampled", version: "", usage: "", switches: ["--one", "--other"], options: ["--name": "a value"])
        let given = try grammar.read(["--other", "--name", "anna", "--one", "--name", "--one"])
        #expect(given.switches == ["--other", "--one"])
        #expect(given.value(of: "--name") == "--one")
        #expect(try grammar.read([]).value(of: "--name") == nil)
    }

    @Test("The file that is named is read, and the usual one where none is")
    func file() {
        #expect(configured() == .success("/etc/usual.toml of /etc/usual.toml"))
        #expect(configured("--config", "mine.toml") == .success("mine.toml of mine.toml"))
    }

    @Test("A file that is right is said to be so where that was asked, and the program ends")
    func check() {
        #expect(
            configured("--check-config", "--config", "mine.toml")
                == .failure(DaemonEnd(answer: "mine.toml: no problems\n")))
    }

    @Test("A file that is wrong ends the program with status 78 and all that is wrong, also where only that was asked")
    func wrongFile() {
        let problem = ConfigurationProblem(path: "mine.toml", line: 3, what: "is not TOML", cure: "fix this line")
        let refused = DaemonEnd(
            status: 78,
            complaint: "exampled: the configuration is refused\nmine.toml:3: is not TOML; fix this line\n")
        for words in [["--config", "mine.toml"], ["--config", "mine.toml", "--check-config"]] {
            #expect(
                throws: refused,
                performing: {
                    try grammar.read(words).configuration(
                        usual: "",
                        load: { (_: String) throws(ConfigurationError) -> Int in
                            throw ConfigurationError(problem: problem)
                        })
                })
        }
    }
}
