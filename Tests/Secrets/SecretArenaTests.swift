import Testing

@testable import Secrets

@Suite("The arena of keys")
struct SecretArenaTests {
    private let slots = (0..<SecretArena.slotCount).map { SecretArena.Slot($0) }

    @Test("A region from the pool is all zeros, though its last owner left keys in every slot")
    func poolHandsOutZeros() {
        let pool = SecretArenaPool()
        var addresses: [UnsafeMutableRawPointer] = []
        for _ in 0..<8 {
            var arena = SecretArena(from: pool)
            addresses.append(arena.memory)
            // SAFETY: the region has `regionBytes` bytes and belongs to `arena`.
            let region = UnsafeRawBufferPointer(start: arena.memory, count: SecretArena.regionBytes)
            #expect(region.allSatisfy { $0 == 0 })
            for slot in slots {
                arena.randomise(slot)
            }
            arena.deriveKeys(chainingKey: slots[0], input: slots[1], slots[2], slots[3], slots[4])
        }
        #expect(Set(addresses).count == 1, "the region was reused")
    }

    @Test("Fifteen regions lie in one allocation, beside each other, and no two owners have the same")
    func regionsShareAnAllocation() {
        let pool = SecretArenaPool(groups: 2)
        let regions = (0..<2 * SecretArenaGroup.regionCount).map { _ in pool.takeRegion() }
        #expect(Set(regions.map(\.memory)).count == regions.count)
        let first = regions.prefix(SecretArenaGroup.regionCount)
        #expect(first.allSatisfy { $0.group === regions[0].group })
        #expect(first.enumerated().allSatisfy { $1.memory == regions[0].memory + $0 * SecretArena.regionBytes })
        for (memory, group) in regions {
            if let group { pool.giveBack(memory, to: group) }
        }
    }

    @Test("Who comes when all regions are taken gets one of its own, and one that came back is given out again")
    func poolIsBounded() {
        let pool = SecretArenaPool(groups: 1)
        let regions = (0..<SecretArenaGroup.regionCount).map { _ in pool.takeRegion() }
        let own = SecretArena(from: pool)
        #expect(!regions.contains { $0.memory == own.memory })
        if let group = regions[7].group { pool.giveBack(regions[7].memory, to: group) }
        #expect(pool.takeRegion().memory == regions[7].memory)
        for (memory, group) in regions {
            if let group { pool.giveBack(memory, to: group) }
        }
    }

    @Test("An allocation that nobody uses is freed, but for one, and made again when it is wanted")
    func idleGroupsAreFreed() {
        let group = SecretArenaGroup()
        #expect(group.take() == nil, "nothing is allocated yet")
        guard let first = group.allocate(), let second = group.take() else {
            Issue.record("no region")
            return
        }
        #expect(group.allocate() == nil, "it is there")
        group.giveBack(first)
        group.freeIfIdle()
        #expect(group.take() == first, "one region was in use")
        group.giveBack(first)
        group.giveBack(second)
        group.freeIfIdle()
        #expect(group.take() == nil)
        #expect(group.allocate() != nil)

        let pool = SecretArenaPool(groups: 2)
        let regions = (0...SecretArenaGroup.regionCount).map { _ in pool.takeRegion() }
        for (memory, group) in regions {
            if let group { pool.giveBack(memory, to: group) }
        }
        #expect(regions[0].group?.take() != nil, "the first allocation stays")
        #expect(regions[SecretArenaGroup.regionCount].group?.take() == nil)
    }

    @Test("The pool serves many tasks at once without giving a region twice")
    func poolIsThreadSafe() async {
        // The tasks need more arenas than one allocation has, so a second allocation is made and freed repeatedly.
        let pool = SecretArenaPool(groups: 3)
        let allIntact = await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { round in
                        var first = SecretArena(from: pool), second = SecretArena(from: pool)
                        var third = SecretArena(from: pool)
                        let slot = SecretArena.Slot(3)
                        let one = [UInt8](repeating: UInt8(task * 16 + round % 16), count: 32)
                        let other = [UInt8](repeating: UInt8(task * 16 + (round + 1) % 16), count: 32)
                        first.store(one.span.bytes, in: slot)
                        second.store(other.span.bytes, in: slot)
                        third.store(one.span.bytes, in: slot)
                        return [first.bytes(slot), second.bytes(slot), third.bytes(slot)] == [one, other, one]
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(allIntact)
    }

    @Test("Storing fills a slot up with zeros and leaves its neighbours alone")
    func store() {
        var arena = SecretArena()
        for slot in slots {
            arena.store([UInt8](repeating: 0xFF, count: 32).span.bytes, in: slot)
        }
        arena.store([UInt8]([1, 2]).span.bytes, in: slots[5])
        #expect(arena.bytes(slots[5]) == [1, 2] + [UInt8](repeating: 0, count: 30))
        #expect(arena.bytes(slots[4]) == [UInt8](repeating: 0xFF, count: 32))
        #expect(arena.bytes(slots[6]) == [UInt8](repeating: 0xFF, count: 32))
        arena.copy(slots[5], to: slots[15])
        #expect(arena.bytes(slots[15]) == arena.bytes(slots[5]))
        arena.wipe(slots[15])
        #expect(arena.bytes(slots[15]) == [UInt8](repeating: 0, count: 32))
        arena.wipe()
        #expect(slots.allSatisfy { arena.bytes($0).allSatisfy { $0 == 0 } })
    }

    @Test("HKDF's scratch memory fits behind the slots, and is empty afterwards")
    func scratchFits() {
        #expect(SecretArena.scratchOffset + HKDFScratch.byteCount <= SecretArena.regionBytes)
        #expect((SecretArena.scratchOffset + SecretArena.slotBytes) % 16 == 0)
        var arena = SecretArena()
        arena.randomise(slots[0])
        arena.deriveKeys(chainingKey: slots[0], input: slots[0], slots[1], slots[2])
        // SAFETY: the scratch area lies within the region, which `arena` owns.
        let scratch = UnsafeRawBufferPointer(
            start: arena.memory + SecretArena.scratchOffset, count: HKDFScratch.byteCount)
        #expect(scratch.allSatisfy { $0 == 0 })
    }

    @Test("Hashing and key derivation agree with their definition in terms of SHA-256 and HMAC")
    func derivations() {
        var arena = SecretArena()
        let (chainingKey, input, data) = (randomBytes(count: 32), randomBytes(count: 32), randomBytes(count: 77))
        arena.store(chainingKey.span.bytes, in: slots[0])
        arena.store(input.span.bytes, in: slots[1])

        let temporary = SecretBytes(
            copying: HMACSHA256.authenticationCode(of: input, key: SecretBytes(copying: chainingKey)))
        let first = HMACSHA256.authenticationCode(of: [1], key: temporary)
        let second = HMACSHA256.authenticationCode(of: first + [2], key: temporary)
        let third = HMACSHA256.authenticationCode(of: second + [3], key: temporary)
        arena.deriveKeys(chainingKey: slots[0], input: slots[1], slots[2], slots[3], slots[4])
        #expect(arena.bytes(slots[2]) == first)
        #expect(arena.bytes(slots[3]) == second)
        #expect(arena.bytes(slots[4]) == third)
        arena.deriveKeys(chainingKey: slots[0], publicInput: input.span.bytes, slots[0], slots[1])
        #expect(arena.bytes(slots[0]) == first)
        #expect(arena.bytes(slots[1]) == second)

        arena.hash(slots[2], appending: data.span.bytes)
        #expect(arena.bytes(slots[2]) == SHA256.hash(first + data))
        arena.hash(slots[3], appending: slots[4])
        #expect(arena.bytes(slots[3]) == SHA256.hash(second + third))
        arena.hash(data.span.bytes, input.span.bytes, into: slots[5])
        #expect(arena.bytes(slots[5]) == SHA256.hash(data + input))
    }
}

extension SecretArena {
    /// A copy to compare in tests.
    borrowing func bytes(_ slot: Slot) -> [UInt8] { withSlot(slot) { [UInt8](copying: $0) } }
}
