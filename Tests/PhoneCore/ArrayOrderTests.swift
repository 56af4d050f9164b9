import Testing

@testable import PhoneCore

@Suite("Arrays in order")
struct ArrayOrderTests {
    @Test("An element goes behind all that it does not precede, so that equals keep their order")
    func order() {
        var pairs: [(key: Int, came: Int)] = []
        for (came, key) in [3, 1, 2, 1, 3, 0].enumerated() { pairs.insert((key, came)) { $0.key < $1.key } }
        #expect(pairs.map(\.key) == [0, 1, 1, 2, 3, 3])
        #expect(pairs.map(\.came) == [5, 1, 3, 2, 0, 4])
    }
}
