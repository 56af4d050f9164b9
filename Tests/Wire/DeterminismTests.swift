import TestSupport
import Testing
import Wire

@Suite("Deterministic encoding")
struct DeterminismTests {
    @Test("What is encoded decodes to the same value", arguments: seeds)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let item = Item.random(depth: 4, using: &generator)
            let encoded = try item.encoded(limit: 65_536)
            #expect(try Item.decode(encoded) == item, "seed \(seed)")
        }
    }

    @Test("Any bytes that are accepted are the only encoding of their value", arguments: seeds)
    func canonical(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for round in 0..<20_000 {
            // Half of the inputs are random, and half are valid with one byte changed.
            var input = [UInt8](repeating: 0, count: Int.random(in: 1...12, using: &generator))
            if round % 2 == 0 {
                input = input.map { _ in .random(in: 0 ... .max, using: &generator) }
            } else {
                input = try Item.random(depth: 3, using: &generator).encoded(limit: 65_536)
                input[Int.random(in: 0..<input.count, using: &generator)] = .random(in: 0 ... .max, using: &generator)
            }
            guard let item = try? Item.decode(input) else { continue }
            accepted += 1
            #expect(try item.encoded(limit: 65_536) == input, "seed \(seed)")
        }
        #expect(accepted > 1_000, "seed \(seed): the property was hardly tried")
    }

    @Test("A message cut at any byte is refused as truncated", arguments: seeds)
    func truncation(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let encoded = try Item.random(depth: 3, using: &generator).encoded(limit: 65_536)
            for count in 0..<encoded.count {
                do {
                    _ = try Item.decode(Array(encoded[..<count]))
                    Issue.record("seed \(seed): accepted \(count) of \(encoded.count) bytes")
                } catch {
                    // A string with a limit of the input's own length is too large before it is too short.
                    #expect(error == .truncated || error == .tooLarge, "seed \(seed)")
                }
            }
        }
    }
}

extension Item {
    /// Returns a value within the profile. Maps have ascending keys, as `CBORReader.skip` requires.
    static func random(depth: Int, using generator: inout SeededGenerator) -> Item {
        switch Int.random(in: 0..<(depth > 1 ? 8 : 6), using: &generator) {
        case 0:
            return .unsigned(.random(in: 0 ... .max, using: &generator) >> Int.random(in: 0..<64, using: &generator))
        case 1:
            return .negative(
                -1 - (Int64.random(in: 0 ... .max, using: &generator) >> Int.random(in: 0..<63, using: &generator)))
        case 2:
            let count = Int.random(in: 0...40, using: &generator)
            return .bytes((0..<count).map { _ in .random(in: 0 ... .max, using: &generator) })
        case 3:
            let scalars = (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(in: 0...0x10_FFFF, using: &generator) >> Int.random(in: 0..<21, using: &generator))
            }
            return .text(String(String.UnicodeScalarView(scalars)))
        case 4: return .bool(.random(using: &generator))
        case 5: return .null
        case 6:
            let count = Int.random(in: 0...5, using: &generator)
            return .array((0..<count).map { _ in .random(depth: depth - 1, using: &generator) })
        default:
            let keys = Set(
                (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                    UInt64.random(in: 0...70_000, using: &generator)
                })
            return .map(
                keys.sorted().map { key in
                    .init(key: .unsigned(key), value: .random(depth: depth - 1, using: &generator))
                })
        }
    }
}
