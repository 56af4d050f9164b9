import Normalization
import Secrets
import TestVectors
import Testing

@Suite("PIN normalisation")
struct PINNormalizerTests {
    private func normalized(_ bytes: [UInt8]) throws(NormalizationError) -> [UInt8] {
        let result = try PINNormalizer.normalized(SecretBytes(copying: bytes))
        return result.withBytes { [UInt8](copying: $0) }
    }

    @Test(
        "Form C as another implementation computes it, and again unchanged", arguments: try VectorFile("nfc.txt").cases)
    func vectors(vector: VectorCase) throws {
        let expected = try vector.bytes("nfc")
        #expect(try normalized(vector.bytes("text")) == expected)
        #expect(try normalized(expected) == expected)
    }

    @Test(
        "What is not UTF-8 is refused",
        arguments: [
            [0xFF], [0x80], [0xC3], [0x31, 0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0x31, 0x32, 0x33, 0x34, 0xFE],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: NormalizationError.invalidUTF8) { try normalized(bytes) }
    }

    @Test("NUL and every other control character and line separator is refused, wherever it stands")
    func controlCharacters() {
        let controls = (UInt32(0)...0x1F).map { $0 } + (0x7F...0x9F).map { $0 } + [0x2028, 0x2029]
        for scalar in controls.compactMap(Unicode.Scalar.init) {
            for text in ["\(scalar)", "12\(scalar)34", "1234\(scalar)"] {
                #expect(throws: NormalizationError.controlCharacter) { try normalized([UInt8](text.utf8)) }
            }
        }
    }

    @Test(
        "Code points without a character are refused",
        arguments: [0x0378, 0xFFFE, 0xFDD0, 0x10FFFF, 0xE0080] as [UInt32])
    func unassigned(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(throws: NormalizationError.unassignedCharacter) { try normalized([UInt8]("12\(scalar)".utf8)) }
    }

    @Test("The input is bounded; the longest one, and one that grows, pass")
    func bounds() throws {
        #expect(throws: NormalizationError.tooLong) {
            try normalized([UInt8](repeating: 0x31, count: PINNormalizer.inputBytesLimit + 1))
        }
        let longest = [UInt8](repeating: 0x31, count: PINNormalizer.inputBytesLimit)
        #expect(try normalized(longest) == longest)
        // U+1D160 takes 4 bytes and decomposes permanently into three scalars of 4 bytes, so the result is longer.
        let growing = [UInt8](String(repeating: "\u{1D160}", count: 256).utf8)
        let grown = try normalized(growing)
        #expect(grown.count == 256 * 12)
        #expect(String(decoding: grown, as: UTF8.self).unicodeScalars.count == 768)
    }

    @Test(
        "Every error says what is wrong and what to do",
        arguments: [
            NormalizationError.tooLong, .invalidUTF8, .controlCharacter, .unassignedCharacter,
        ])
    func descriptions(error: NormalizationError) {
        #expect(error.description.hasPrefix("this PIN"))
        #expect(error.description.contains(";"), "what is wrong; what to do")
    }
}
