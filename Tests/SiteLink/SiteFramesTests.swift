import Glibc
import TestSupport
import Testing

@testable import SiteLink

@Suite("Frames of a link")
struct SiteFramesTests {
    private func all(_ frames: inout SiteFrames) throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while let message = try frames.next() { messages.append(message) }
        return messages
    }

    @Test("Messages come out as they went in, however the stream is cut", arguments: seeds)
    private func cutting(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let messages = (0..<200).map { _ in
            [UInt8](
                repeating: .random(in: 0...255, using: &generator),
                count: .random(in: 1...SiteFrames.openingLimit, using: &generator))
        }
        var (frames, found) = (SiteFrames(), [[UInt8]]())
        for piece in LinkFixture.cut(messages.flatMap(SiteFrames.frame), &generator) {
            frames.add(piece)
            found += try all(&frames)
            #expect(frames.keptBytes < 2 + SiteFrames.openingLimit, "seed \(seed)")
        }
        #expect(found == messages && frames.keptBytes == 0, "seed \(seed)")
    }

    @Test("The longest message of each time comes through, and one byte more does not")
    func limits() throws {
        var frames = SiteFrames()
        frames.add(SiteFrames.frame([UInt8](repeating: 1, count: 1_024)))
        #expect(try all(&frames).map(\.count) == [1_024])
        frames.add([4, 1])
        #expect(throws: SiteLinkError.wrongLength) { try frames.next() }
        #expect(frames.keptBytes == 0)
        frames = SiteFrames()
        frames.raiseLimit()
        frames.add(SiteFrames.frame([UInt8](repeating: 1, count: 8_192)))
        #expect(try all(&frames).map(\.count) == [8_192])
        frames.add([0x20, 1] + [UInt8](repeating: 1, count: 100))
        #expect(throws: SiteLinkError.wrongLength) { try frames.next() }
        #expect(frames.keptBytes == 0)
        frames.add([0, 0])
        #expect(throws: SiteLinkError.wrongLength) { try frames.next() }
    }

    /// Returns this thread's CPU time, in seconds, to cut one read into `count` messages of one byte.
    private func cost(of count: Int) throws -> Double {
        var frames = SiteFrames()
        frames.add((0..<count).flatMap { _ in [0, 1, 7] })
        var (begin, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin)
        while try frames.next() != nil {}
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        #expect(frames.keptBytes == 0)
        return Double(end.tv_sec - begin.tv_sec) + Double(end.tv_nsec - begin.tv_nsec) / 1e9
    }

    @Test("What many small messages in one read cost grows with their number, not with its square")
    func manyInOneRead() throws {
        // With a quadratic cost, the ratio would be 256. A processor that slows down spoils one measurement, not five.
        var ratios: [Double] = []
        while ratios.count < 5, ratios.last.map({ $0 >= 40 }) ?? true {
            let few = try cost(of: 30_000)
            ratios.append(try cost(of: 480_000) / few)
        }
        #expect(ratios.contains { $0 < 40 }, "16 times as many cost \(ratios) times as much")
    }
}
