import PAMLogic
import Testing

@Suite("What people and logs read, and names that come in")
struct TextTests {
    private func text(_ line: TextLine) -> String {
        String(decoding: line.bytes, as: UTF8.self)
    }

    @Test("The prompt names the box and how long the password prompt waits")
    func prompt() {
        #expect(
            text(PromptText.line(boxID: [UInt8]("1234".utf8), isAsking: false, waitSeconds: 20))
                == "Box 1234: tap Log in on your phone, or wait 20 seconds to type a password.")
        #expect(
            text(PromptText.line(boxID: [], isAsking: false, waitSeconds: 1))
                == "Box: tap Log in on your phone, or wait 1 second to type a password.")
        #expect(
            text(PromptText.line(boxID: [UInt8]("1234".utf8), isAsking: true, waitSeconds: 30))
                == "Box 1234: allow this on your phone, or wait 30 seconds to type a password.")
    }

    @Test("A box ID cannot bring terminal sequences onto the screen, nor fill it")
    func hostileBoxID() {
        let line = PromptText.line(boxID: [0x1B, 0x5B, 0x32, 0x4A, 0x0A, 0xFF], isAsking: false, waitSeconds: 2)
        #expect(text(line).hasPrefix("Box ?[2J??: "))
        let long = PromptText.line(boxID: [UInt8](repeating: 0x37, count: 64), isAsking: false, waitSeconds: 2)
        #expect(text(long).hasPrefix("Box 7777777777777777: "))
    }

    @Test("A line ends at its limit", arguments: [0, 1, 399, 400, 401, 5_000])
    func bounded(length: Int) {
        var line = TextLine("")
        line.append(foreign: [UInt8](repeating: 0x61, count: length))
        #expect(line.bytes.count == min(length, TextLine.limitBytes))
    }

    @Test("Numbers are written in full", arguments: [0, 9, 10, 300, UInt64.max])
    func numbers(number: UInt64) {
        var line = TextLine("")
        line.append(number)
        #expect(text(line) == String(number))
    }
}
