import Testing

@testable import Secrets

@Suite("SecretBytes")
struct SecretBytesTests {
    @Test("A new value is all zeros, whatever lay in that memory before", arguments: [0, 1, 31, 32, 4_096, 70_000])
    func newIsZero(count: Int) {
        do {
            var previous = SecretBytes(randomCount: count)
            previous.withMutableBytes { bytes in bytes.store([UInt8](repeating: 0xA5, count: count).span.bytes) }
        }
        let bytes = SecretBytes(count: count)
        #expect(bytes.count == count)
        #expect(bytes.publicCopy == [UInt8](repeating: 0, count: count))
    }

    @Test("Random values differ from each other")
    func randomDiffers() {
        let one = SecretBytes(randomCount: 32)
        let other = SecretBytes(randomCount: 32)
        #expect(one.publicCopy != other.publicCopy)
        #expect(randomBytes(count: 24) != randomBytes(count: 24))
        #expect(randomBytes(count: 0).isEmpty)
    }

    @Test("A copy is independent of its original, a slice has just its bytes")
    func copyAndSlice() {
        var original = SecretBytes(copying: [1, 2, 3, 4, 5])
        let copy = original.copy()
        let slice = original.slice(1..<4)
        let nothing = original.slice(5..<5)
        original.withMutableBytes { bytes in bytes.store([UInt8]([9, 9]).span.bytes, at: 3) }
        #expect(original.publicCopy == [1, 2, 3, 9, 9])
        #expect(copy.publicCopy == [1, 2, 3, 4, 5])
        #expect(slice.publicCopy == [2, 3, 4])
        #expect(nothing.count == 0)
        #expect(copy.byte(at: 4) == 5)
    }

    @Test("Keeping a part narrows the value in place, and wipes the rest at once")
    func keepNarrowsAndWipes() {
        var bytes = SecretBytes(copying: [1, 2, 3, 4, 5, 6])
        let whole = bytes.withBytes { span in
            // SAFETY: the address is read again below while `bytes`, which owns the memory, still lives.
            span.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        bytes.keep(1..<5)
        #expect(bytes.publicCopy == [2, 3, 4, 5])
        bytes.keep(2..<4)
        #expect(bytes.publicCopy == [4, 5])
        let address = bytes.withBytes { span in span.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(address == whole + 3)
        // SAFETY: all six bytes are still the value's own memory.
        let start = UnsafePointer<UInt8>(bitPattern: whole)
        let raw = start.map { [UInt8](UnsafeBufferPointer(start: $0, count: 6)) }
        #expect(raw == [0, 0, 0, 4, 5, 0])
        #expect(bytes.copy().publicCopy == [4, 5])
    }

    @Test("Comparison sees a difference in any single bit, and in length")
    func comparison() {
        let reference = [UInt8](0..<32)
        let secret = SecretBytes(copying: reference)
        let same = secret.isEqual(to: SecretBytes(copying: reference))
        #expect(same)
        #expect(ConstantTime.isEqual(reference, reference))
        for bit in 0..<256 {
            var changed = reference
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let isEqual = secret.isEqual(to: SecretBytes(copying: changed))
            #expect(!isEqual)
            #expect(!ConstantTime.isEqual(reference, changed))
        }
        let shorter = secret.isEqual(to: secret.slice(0..<31))
        #expect(!shorter)
        #expect(!ConstantTime.isEqual(reference, [UInt8](reference.dropLast())))
        let empty = SecretBytes(count: 0).isEqual(to: SecretBytes(count: 0))
        #expect(empty)
        #expect(ConstantTime.isEqual([], []))
    }

    @Test("An error thrown while the bytes are lent comes out as it is")
    func lendingRethrows() {
        struct Refusal: Error, Equatable {}
        var bytes = SecretBytes(count: 4)
        #expect(throws: Refusal()) {
            try bytes.withBytes { (_) throws(Refusal) in throw Refusal() }
        }
        #expect(throws: Refusal()) {
            try bytes.withMutableBytes { (_) throws(Refusal) in throw Refusal() }
        }
    }

    @Test("A held secret is the same for all its holders")
    func heldSecret() {
        let held = HeldSecret(SecretBytes(copying: [7, 8, 9]))
        let holders = [held, held]
        #expect(holders.allSatisfy { $0.bytes.publicCopy == [7, 8, 9] && $0.count == 3 })
    }

    @Test("Wiping an array overwrites its own storage")
    func wipeArray() {
        var array: [UInt8] = [1, 2, 3]
        array.wipe()
        #expect(array == [0, 0, 0])
    }
}

extension SecretBytes {
    /// A copy to compare in tests, where nothing is really secret.
    var publicCopy: [UInt8] { withBytes { [UInt8](copying: $0) } }
}
