import TestSupport
import Testing
import Wire

@Suite("RFC 8949 appendix A")
struct AppendixATests {
    @Test("Every example within the profile decodes to its value and encodes to its bytes", arguments: appendixAccepted)
    func accepted(_ vector: Vector) throws {
        #expect(try Item.decode(bytes(vector.hex)) == vector.item)
        #expect(try vector.item.encoded() == bytes(vector.hex))
    }

    @Test("Every other example is refused for its own reason", arguments: appendixRefused)
    func refused(_ vector: Refused) {
        #expect(throws: vector.error) { try Item.decode(bytes(vector.hex)) }
    }

    @Test("No example of the appendix is left out")
    func complete() {
        // The appendix lists 82 encodings.
        let all = Set(appendixAccepted.map(\.hex) + appendixRefused.map(\.hex))
        #expect(all.count == appendixAccepted.count + appendixRefused.count)
        #expect(all.count == 82)
    }
}
