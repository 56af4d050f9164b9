import Glibc
import Testing

@testable import EventLoop

@Suite("Sockets")
struct SocketTests {
    @Test("Messages arrive whole and in order, and the end is told as the end")
    func echo() async throws {
        let received = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            for number in 1...5 { try await left.send([UInt8](repeating: UInt8(number), count: number * 100)) }
            await left.close()
            var sizes: [Int] = []
            while let message = try await right.receive(limit: 8_192) { sizes.append(message.count) }
            return sizes
        }
        #expect(received == [100, 200, 300, 400, 500])
    }

    @Test("What a peer said before it closed with messages unread is received, and then the end")
    func lastWords() async throws {
        let received = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            try await left.send([1])
            try await right.send([2])
            try await right.send([3])
            await right.close()
            return [
                try await left.receive(limit: 8), try await left.receive(limit: 8), try await left.receive(limit: 8),
            ]
        }
        #expect(received == [[2], [3], nil])
    }

    @Test("What is transmitted to a peer that has closed is lost, and what the peer said is received")
    func transmission() async throws {
        let (received, refusal) = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            try await right.send([2])
            await right.close()
            try await left.transmit([1])
            try await left.transmit([1])
            let received = [try await left.receive(limit: 8), try await left.receive(limit: 8)]
            await left.close()
            do throws(SocketError) {
                try await left.transmit([1])
                return (received, SocketError?.none)
            } catch {
                return (received, error)
            }
        }
        #expect(received == [[2], nil])
        #expect(refusal == .closed)
    }

    @Test("A sender is held back, not buffered, and goes on when the other side receives")
    func backPressure() async throws {
        let (blocked, total) = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            try await left.setBuffers(sendBytes: 8_192, receiveBytes: 8_192)
            let sent = Guarded(0)
            let sending = loop.spawn {
                for _ in 0..<500 {
                    guard (try? await left.send([UInt8](repeating: 1, count: 200))) != nil else { return }
                    sent.withLock { $0 += 1 }
                }
            }
            try await loop.sleep(until: loop.now() + .milliseconds(20))
            let blocked = sent.withLock { $0 }
            var total = 0
            while total < 500, try await right.receive(limit: 200) != nil { total += 1 }
            await sending.value
            return (blocked, total)
        }
        #expect(blocked < 40)
        #expect(total == 500)
    }

    @Test("Senders that wait take their turn in order, and too many are refused")
    func sendersWait() async throws {
        let outcome = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            try await left.setBuffers(sendBytes: 4_096, receiveBytes: 4_096)
            let refusals = Guarded(0)
            for number in 0..<120 {
                loop.spawn {
                    do throws(SocketError) {
                        try await left.send([UInt8(number)] + [UInt8](repeating: 0, count: 999))
                    } catch {
                        if error == .busy { refusals.withLock { $0 += 1 } }
                    }
                }
            }
            // Each send now waits or has been refused.
            try await loop.sleep(until: loop.now() + .milliseconds(10))
            let refused = refusals.withLock { $0 }
            var order: [UInt8] = []
            while order.count + refused < 120,
                let message = try? await right.receive(limit: 1_000, until: loop.now() + .seconds(20))
            {
                order.append(message[0])
            }
            return (order, refused)
        }
        #expect(outcome.0 == outcome.0.sorted())
        #expect(outcome.1 > 0)
        #expect(outcome.0.count + outcome.1 == 120)
    }

    @Test("Waiting to receive ends by cancellation, by its time limit, and by closing here")
    func receiveEnds() async throws {
        let errors = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            @Sendable func failure(until deadline: Duration?) async -> SocketError? {
                do throws(SocketError) {
                    _ = try await right.receive(limit: 10, until: deadline)
                    return nil
                } catch {
                    return error
                }
            }
            let late = await failure(until: loop.now() + .milliseconds(1))
            let waiting = loop.spawn { await failure(until: nil) }
            try await loop.sleep(until: loop.now() + .milliseconds(2))
            let second = await failure(until: nil)
            waiting.cancel()
            let cancelled = await waiting.value
            let closing = loop.spawn { await failure(until: nil) }
            try await loop.sleep(until: loop.now() + .milliseconds(2))
            await right.close()
            let closed = await closing.value
            _ = left
            return [late, second, cancelled, closed]
        }
        #expect(errors == [.timedOut, .busy, .cancelled, .closed])
    }

    @Test("A message over the limit is refused, and the next one is received")
    func oversize() async throws {
        let outcome = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            try await left.send([UInt8](repeating: 7, count: 11))
            try await left.send([1])
            var tooLarge = false
            do throws(SocketError) {
                _ = try await right.receive(limit: 10)
            } catch {
                tooLarge = error == .messageTooLarge
            }
            return (tooLarge, try await right.receive(limit: 10))
        }
        #expect(outcome.0)
        #expect(outcome.1 == [1])
    }

    @Test("Bytes lent for sending and receiving arrive unchanged")
    func lentBytes() async throws {
        let sum = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            try await left.send(limit: 64) { span in
                for index in 0..<3 { span.storeBytes(of: UInt8(index + 1), toByteOffset: index, as: UInt8.self) }
                return 3
            }
            return try await right.withReceived(limit: 64) { bytes in
                bytes.withUnsafeBytes { $0.reduce(0) { $0 * 10 + Int($1) } }
            }
        }
        #expect(sum == 123)
    }

    @Test("A peer that vanishes ends receiving and sending with an error, not with a signal")
    func peerVanishes() async throws {
        let outcome = try await EpollLoop.withThread { loop in
            let (left, right) = try SeqPacketConnection.pair(on: loop)
            await right.close()
            let end = try await left.receive(limit: 10)
            do throws(SocketError) {
                try await left.send([1])
                return (end, SocketError?.none)
            } catch {
                return (end, error)
            }
        }
        #expect(outcome.0 == nil)
        #expect(outcome.1 == .closed)
    }
}
