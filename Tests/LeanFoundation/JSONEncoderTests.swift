import LeanFoundation
import Testing

/// The expected texts are those that FoundationEssentials encodes for the same values.
@Suite("JSON as ArgumentParser writes it")
struct JSONEncoderTests {
    private struct Command: Encodable {
        enum Kind: String, Encodable {
            case positional
        }

        struct Argument: Encodable {
            var isOptional: Bool
            var kind: Kind
            var preferredName: String?
        }

        var version = 1
        var commandName = "box/agent"
        var arguments: [Argument] = []
        var subcommands: [Command]?
        var numbers: [Double]?
    }

    private func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting = []) throws -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return String(data: try encoder.encode(value), encoding: .utf8)
    }

    @Test func aPrettyRecordHasItsKeysInOrderAndAnEmptyLineInAnEmptyList() throws {
        let command = Command(subcommands: [
            Command(commandName: "id", arguments: [.init(isOptional: true, kind: .positional, preferredName: nil)])
        ])
        #expect(
            try text(command, [.prettyPrinted, .sortedKeys]) == """
                {
                  "arguments" : [

                  ],
                  "commandName" : "box\\/agent",
                  "subcommands" : [
                    {
                      "arguments" : [
                        {
                          "isOptional" : true,
                          "kind" : "positional"
                        }
                      ],
                      "commandName" : "id",
                      "version" : 1
                    }
                  ],
                  "version" : 1
                }
                """)
    }

    @Test func withoutFormattingNothingStandsBetweenTheValues() throws {
        #expect(
            try text(Command(numbers: [1, 0.5]))
                == "{\"version\":1,\"commandName\":\"box\\/agent\",\"arguments\":[],\"numbers\":[1,0.5]}")
        #expect(try text(["a": [Int?.none, -3, .some(7)]]) == "{\"a\":[null,-3,7]}")
        #expect(try text([[String: Int]()]) == "[{}]")
    }

    @Test func whatJSONCannotHaveInTextsIsEscaped() throws {
        #expect(
            try text("\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}ä\u{1f4f1}")
                == #""\"\\\/\b\f\n\r\t\u0001\u001f"# + "\u{7f}ä\u{1f4f1}\"")
    }

    @Test func aNumberThatJSONHasNotIsRefused() {
        for number in [Double.infinity, -.infinity, .nan] {
            #expect(throws: EncodingError.self) { try text(["limit": number]) }
        }
    }
}
