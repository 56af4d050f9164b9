import Glibc
import Testing

@testable import Links

@Suite("docs/reference/segmentation.md")
struct SegmentationDocumentTests {
    /// Returns the segments of the examples in the document's order, without arrows and blanks.
    private func examples() throws -> [[String]] {
        let path = "\(#filePath)".replacing("Tests/Links/SegmentationDocumentTests.swift", with: "")
        let file = try #require(fopen(path + "docs/reference/segmentation.md", "r"))
        defer { fclose(file) }
        var blocks: [[String]] = []
        var inside = false
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("```") {
                inside.toggle()
                if inside { blocks.append([]) }
            } else if inside, !blocks.isEmpty {
                blocks[blocks.count - 1].append(String(text.filter(\.isHexDigit)))
            }
        }
        return blocks
    }

    private func segments(_ actions: [SegmentedLink.Action]) -> [[UInt8]] {
        actions.compactMap { if case .transmit(let segment) = $0 { segment } else { nil } }
    }

    private func sent(_ message: [UInt8], mtu: Int = 23) -> [String] {
        var link = SegmentedLink(mtu: mtu)
        return segments(link.handle(.send(message), now: .zero)).map(hex)
    }

    @Test("Every example is what the code sends")
    func examplesMatch() throws {
        let examples = try examples()
        try #require(examples.count == 7)
        let forty = [UInt8](0..<40)

        var box = SegmentedLink(mtu: 23)
        _ = box.handle(.receive, now: .zero)
        let question = sent([10, 11, 12])
        #expect(box.handle(.segment(unhex(question[0])), now: .zero) == [.deliver([10, 11, 12])])
        #expect(examples[0] == question + segments(box.handle(.send([13]), now: .zero)).map(hex))

        #expect(examples[1] == sent([]))
        #expect(examples[2] == sent(forty))
        #expect(examples[3] == sent(forty, mtu: 185))
        #expect(examples[4] == Array(sent([UInt8](repeating: 0, count: 65_536)).prefix(1)))

        var phone = SegmentedLink(mtu: 23)
        var reader = SegmentedLink(mtu: 23, messageLimit: 65_536)
        _ = reader.handle(.receive, now: .zero)
        let window = segments(phone.handle(.send([UInt8](repeating: 0, count: 5_000)), now: .zero))
        #expect(window.count == 32)
        let answers = window.map { segments(reader.handle(.segment($0), now: .zero)) }
        #expect(answers.prefix(15).allSatisfy { $0.isEmpty })
        #expect(examples[5] == answers[15].map(hex))

        let deadline = try #require(phone.deadline)
        #expect(deadline == .milliseconds(500))
        let asked = segments(phone.handle(.timer, now: deadline))
        let answered = segments(reader.handle(.segment(asked[0]), now: deadline))
        #expect(examples[6] == (asked + answered).map(hex))
    }
}
