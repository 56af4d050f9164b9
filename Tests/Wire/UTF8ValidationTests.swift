import TestSupport
import Testing
import Wire

/// The standard library's decoder is the oracle, because all other text passes through it.
@Suite("UTF-8")
struct UTF8ValidationTests {
    private static func agrees(_ input: [UInt8]) -> Bool {
        let ours = input.withRawSpan { UTF8Validation.isValid($0, in: 0..<input.count) }
        return ours == (String(validating: input, as: UTF8.self) != nil)
    }

    @Test("Every sequence of one and of two bytes is judged as the standard library judges it")
    func oneAndTwo() {
        for first in UInt8.min ... .max {
            #expect(Self.agrees([first]))
            for second in UInt8.min ... .max where !Self.agrees([first, second]) {
                Issue.record("disagrees on \([first, second])")
            }
        }
    }

    /// Every lead of three and four bytes, and the edges of the other kinds (ASCII, continuation, overlong, two bytes,
    /// over U+10FFFF).
    private static let leads: [UInt8] = [0x41, 0x80, 0xC1, 0xC2, 0xDF] + Array(0xE0...0xF5) + [0xFF]

    @Test(
        "All sequences of three bytes after a lead, other leads in each run, are judged as the standard library judges them",
        arguments: leads.shuffled().prefix(7))
    func three(_ lead: UInt8) {
        var input: [UInt8] = [lead, 0, 0]
        for rest in 0..<0x1_0000 {
            input[1] = UInt8(rest >> 8)
            input[2] = UInt8(rest & 0xFF)
            if !Self.agrees(input) { Issue.record("disagrees on \(input)") }
        }
    }

    @Test("Any lead before bytes at the edges of the table is judged as the standard library judges it")
    func edges() {
        let edges: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xF0, 0xFF]
        for lead in UInt8.min ... .max {
            for second in edges {
                for third in edges where !Self.agrees([lead, second, third]) {
                    Issue.record("disagrees on \([lead, second, third])")
                }
            }
        }
    }

    @Test("Random sequences of four bytes and more are judged as the standard library judges them", arguments: seeds)
    func four(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50_000 {
            // Leads and continuations occur far more often than by chance.
            let input = (0..<Int.random(in: 4...9, using: &generator)).map { _ -> UInt8 in
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: .random(in: 0xF0...0xF5, using: &generator)
                case 1: .random(in: 0 ... .max, using: &generator)
                default: .random(in: 0x80...0xBF, using: &generator)
                }
            }
            if !Self.agrees(input) { Issue.record("seed \(seed): disagrees on \(input)") }
        }
    }

    @Test("A range outside the input is not valid text")
    func ranges() {
        let input: [UInt8] = [0x61, 0x62]
        for (range, expected) in [(0..<0, true), (1..<2, true), (1..<3, false), (-1..<1, false)] {
            #expect(input.withRawSpan { UTF8Validation.isValid($0, in: range) } == expected, "\(range)")
        }
    }
}
