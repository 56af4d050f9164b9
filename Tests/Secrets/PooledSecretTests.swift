import Testing

@testable import Secrets

@Suite("Secrets in regions of a pool")
struct PooledSecretTests {
    private let pool = SecretArenaPool(groups: 1)

    private func address(_ bytes: borrowing SecretBytes) -> UInt {
        bytes.withPointer { UInt(bitPattern: $0) }
    }

    @Test("What lay in a region before is wiped, also behind the end of a shorter secret, and the next one has zeros")
    func wiped() {
        var region: UInt = 0
        do {
            var previous = SecretBytes(count: SecretArena.regionBytes, from: pool)
            previous.withMutableBytes { $0.store([UInt8](repeating: 0xA5, count: SecretArena.regionBytes)) }
            previous.keep(100..<200)
            region = address(previous) - 100
        }
        // SAFETY: the pool keeps the group of this region, and the region has no owner now.
        let start = UnsafePointer<UInt8>(bitPattern: region)
        let left = start.map { [UInt8](UnsafeBufferPointer(start: $0, count: SecretArena.regionBytes)) }
        #expect(left == [UInt8](repeating: 0, count: SecretArena.regionBytes))
        let next = SecretBytes(count: 40, from: pool)
        let (at, content) = (address(next), next.publicCopy)
        #expect(at == region && content == [UInt8](repeating: 0, count: 40))
    }

    @Test("Two that live have nothing in common, and what is made of one lies in the pool as well")
    func apart() {
        let one = SecretBytes(copying: [1, 2, 3], from: pool)
        let copy = one.copy()
        let slice = one.slice(1..<3)
        let contents = [one.publicCopy, copy.publicCopy, slice.publicCopy]
        #expect(contents == [[1, 2, 3], [1, 2, 3], [2, 3]])
        let places = [address(one), address(copy), address(slice)]
        #expect(Set(places).count == 3)
        let (low, high) = (places.min() ?? 0, places.max() ?? .max)
        #expect(high - low < UInt(SecretArenaGroup.regionCount * SecretArena.regionBytes), "one allocation")
        #expect(places.allSatisfy { $0.isMultiple(of: 64) }, "as a hash's state needs it")
    }

    @Test("What is too long for a region, or comes when all are taken, has an allocation of its own")
    func ownAllocation() {
        let tooLong = SecretBytes(count: SecretArena.regionBytes + 1, from: pool).pool
        let fits = SecretBytes(count: SecretArena.regionBytes, from: pool).pool
        #expect(tooLong == nil && fits === pool)
        let held = (0..<SecretArenaGroup.regionCount).map { HeldSecret(SecretBytes(copying: [UInt8($0)], from: pool)) }
        let another = SecretBytes(copying: [9], from: pool).pool
        #expect(held.allSatisfy { $0.bytes.pool === pool } && another == nil)
        #expect(held.enumerated().allSatisfy { $1.bytes.publicCopy == [UInt8($0)] })
    }

    @Test("A hash and a cipher give the same there as in an allocation of their own")
    func same() throws {
        let key = SecretBytes(randomCount: 32)
        var own = try KeyedHash(key: key, context: "test")
        var pooled = try KeyedHash(key: key, context: "test", from: pool)
        for part in [[UInt8](repeating: 1, count: 200), [2]] {
            own.add(part)
            pooled.add(part)
        }
        let one = own.finish()
        let other = pooled.finish()
        let (isSame, ownPool, otherPool) = (one.isEqual(to: other), one.pool, other.pool)
        #expect(isSame && ownPool == nil && otherPool === pool)
        let sealed = try XChaChaPoly.seal(one, key: other, associatedData: [])
        let opened = try XChaChaPoly.open(sealed, key: other, associatedData: [])
        let (isWhole, openedPool) = (opened.isEqual(to: one), opened.pool)
        #expect(isWhole && openedPool === pool)
    }
}
