import Testing

@testable import BoxAgentCommand
@testable import CommandTool

@Suite("Text on a terminal of any width")
struct WrappingTests {
    @Test("Lines are broken at spaces, later ones are indented, and a long word stays whole")
    func words() {
        #expect(WordWrap.lines("one two three", width: 7) == ["one two", "three"])
        #expect(WordWrap.lines("one two three", width: 8, hanging: 2) == ["one two", "  three"])
        #expect(WordWrap.lines("  a https://phone.example.org/", width: 10) == ["  a", "https://phone.example.org/"])
        #expect(WordWrap.lines("a\nb c", width: 2) == ["a", "b", "c"])
        #expect(WordWrap.lines("one two three", width: nil) == ["one two three"])
        #expect(WordWrap.lines("", width: 10) == [""])
    }

    @Test("Colours take no room")
    func colours() {
        #expect(WordWrap.lines("\u{1B}[1m906 778\u{1B}[0m.", width: 8) == ["\u{1B}[1m906 778\u{1B}[0m."])
    }

    @Test("A table that is too wide gives each row several lines, with whole cells")
    func narrowTable() {
        let rows = [["ID", "LABEL", "STATE"], ["abcdefgh", "phone", "active, web"]]
        #expect(
            TextTable.lines(rows, width: 16, flexible: [1]) == [
                "ID  LABEL  STATE", "abcdefgh  phone", "    active, web",
            ])
        #expect(
            TextTable.pairs([["radio", "bluez: advertising"], ["box", "4711"]], width: 18) == [
                "radio  bluez:", "       advertising", "box    4711",
            ])
    }

    @Test("One row that is too long does not take the columns from the others")
    func longRow() {
        let rows = [["KEY", "FROM"], ["a", "default"], ["b", "default"], ["c", "file:1, overrides file:2"]]
        #expect(
            TextTable.lines(rows, width: 16) == [
                "KEY  FROM", "a    default", "b    default", "c", "    file:1,", "    overrides", "    file:2",
            ])
    }

    private static let help = """
        OVERVIEW: Enrol a phone for a user.

        The command shows the code as a QR code and waits for the phone.
        Examples:
          boxagent enrol anna --label "Anna's phone" --socket /run/boxagent/control.sock
        Exit status:
            1  not found, declined, or a fault was found, which is a long line

        USAGE: boxagent enrol [<user>] [--self] [--replace <id>] [--label <text>] [--socket <path>]

        OPTIONS:
          --label <text>          The name of the phone in lists, at most 64 bytes.
          --socket <path>         The agent's control socket. (default: /run/boxagent/control.sock)
          -h, --help              Show help information.

        """

    @Test("Help fits every width but for its examples, which stay whole lines", arguments: [40, 60, 80, 200])
    func help(columns: Int) {
        let lines = HelpText.wrapped(Self.help, to: columns).split(separator: "\n").map(String.init)
        let example = "  boxagent enrol anna --label \"Anna's phone\" --socket /run/boxagent/control.sock"
        #expect(lines.contains(example))
        for line in lines where line != example { #expect(line.count <= columns, "\(line)") }
        #expect(
            lines.joined(separator: " ").split(separator: " ")
                == Self.help.split { $0 == " " || $0 == "\n" }, "no word is lost")
    }

    @Test("What an option means stands beside it, and below it where the terminal is narrow")
    func options() {
        let wide = HelpText.wrapped(Self.help, to: 60)
        #expect(
            wide.contains(
                "\n  --label <text>          The name of the phone in lists, at\n" + String(repeating: " ", count: 26)
                    + "most"))
        let narrow = HelpText.wrapped(Self.help, to: 40)
        #expect(narrow.contains("\n  --label <text>\n      The name of the phone in lists, at\n      most 64 bytes.\n"))
        #expect(narrow.contains("\nUSAGE: boxagent enrol [<user>] [--self]\n  [--replace <id>]"))
    }
}
