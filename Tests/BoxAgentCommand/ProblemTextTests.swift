import Testing

@testable import BoxAgentCommand
@testable import CommandTool

@Suite("What is said of a command line that is not understood")
struct ProblemTextTests {
    private static let tree = CommandTree(
        "boxagent",
        below: [
            CommandTree("enrol", aliases: ["enroll"]), CommandTree("devices"),
            CommandTree("audit", below: [CommandTree("show"), CommandTree("export")], hasDefault: true),
            CommandTree("pin", below: [CommandTree("change")]),
        ])

    private func complaint(_ words: String) -> ProblemText? {
        ProblemText.unknownCommand(in: words.split(separator: " ").map(String.init), of: Self.tree)
    }

    @Test("An unknown command gets the near one, or where they are listed")
    func commands() {
        #expect(
            complaint("enroll2 anna")
                == ProblemText("unknown command \"enroll2\".", cures: ["Did you mean: boxagent enrol"]))
        #expect(complaint("audit exprt")?.cures == ["Did you mean: boxagent audit export"])
        #expect(complaint("pin chnge")?.cures == ["Did you mean: boxagent pin change"])
        #expect(complaint("dance")?.cures == ["See the commands: boxagent --help"])
        #expect(complaint("pin dance")?.cures == ["See the commands: boxagent pin --help"])
    }

    @Test("What is a command, an option, or an argument of a default command is not complained about")
    func known() {
        for words in ["enroll anna", "enrol anna", "audit --limit 0", "audit whatever", "--socket x enrl", ""] {
            #expect(complaint(words) == nil, "\(words)")
        }
    }

    @Test("ArgumentParser's messages begin with a small letter, quote with double marks, and suggest below")
    func messages() {
        #expect(
            ProblemText(message: "Unknown option '--lable'. Did you mean '--label'?")
                == ProblemText("unknown option \"--lable\".", cures: ["Did you mean: --label"]))
        #expect(ProblemText(message: "Unexpected argument 'x'") == ProblemText("unexpected argument \"x\""))
        #expect(ProblemText(message: "use the phone's id, not 'x'") == ProblemText("use the phone's id, not \"x\""))
    }

    @Test("Behind a semicolon stands what to do")
    func sentences() {
        #expect(
            ProblemText(sentence: "it is late; go home; rest") == ProblemText("it is late", cures: ["go home; rest"]))
        #expect(ProblemText(sentence: "it is late") == ProblemText("it is late"))
    }

    @Test("The American spelling is a command as well", arguments: ["enrol", "enroll"])
    func spelling(word: String) throws {
        #expect(try BoxAgentTool.parseAsRoot([word, "anna"]) is EnrolCommand)
    }

    @Test("The question of an enrolment asks for a comparison and claims none")
    func question() {
        #expect(EnrolCommand.question(label: []) == "Does the phone show exactly these digits?")
        #expect(EnrolCommand.question(label: Array("Anna's".utf8)) == "Does \"Anna's\" show exactly these digits?")
    }
}
