import EventLoop
import Links
import MessageLinks
import Testing
import Transport

@testable import TransportLoopback

@Suite("The loopback radio")
struct LoopbackTests {
    private func conditions(_ change: (inout LoopbackConditions) -> Void) -> LoopbackConditions {
        var conditions = LoopbackConditions()
        change(&conditions)
        return conditions
    }

    private func messages(_ link: LoopbackCentralLink, on loop: EpollLoop) async throws -> MessageLink {
        try await link.subscribe()
        return MessageLink(
            link: link, clock: LoopTime(loop: loop), executor: loop, messageLimit: Segmentation.messageBytes)
    }

    @Test("A scan finds every box that advertises and no other, stale and hanging sockets notwithstanding")
    func scan() async throws {
        let air = try Air()
        let (names, slow) = try await EpollLoop.withThread { loop in
            var boxes = [try await EchoBox("Box 0001", in: air, on: loop)]
            boxes.append(try await EchoBox("Box 0002", in: air, on: loop))
            boxes.append(try await EchoBox("Bad \u{1b}[2J", in: air, on: loop))
            let hidden = try await EchoBox("Box 0009", in: air, on: loop)
            await hidden.radio.setAdvertising(.off)
            // A box that accepts connections but never answers.
            let hanging = try SeqPacketListener(path: air.path + "/0.box", mode: 0o600, on: loop)
            // The socket of a box that was switched off abruptly.
            let dead = try await ChildProcess.run(
                ChildCommand(
                    "/usr/bin/python3",
                    ["-c", "import socket;socket.socket(1,5).bind('\(air.path)/dead.box')"]), on: loop)
            guard dead.succeeded else { throw TestFailure(text: "no stale socket") }
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let heard = Heard()
            let start = loop.now()
            try await central.scan(for: .seconds(30)) { advertisement in
                await heard.add(advertisement.name) == 3
            }
            let took = loop.now() - start
            try await central.scan(for: .milliseconds(100)) { advertisement in
                await heard.add(advertisement.name) < 0
            }
            for box in boxes + [hidden] { await box.stop() }
            await hanging.close()
            return (await heard.names.sorted(), took > .seconds(5))
        }
        #expect(Set(names) == ["Bad \\x1b[2J", "Box 0001", "Box 0002"])
        #expect(!slow)
    }

    private actor Heard {
        private(set) var names: [String] = []
        func add(_ name: String) -> Int {
            names.append(name)
            return names.count
        }
    }

    @Test("A box that is switched on while a scan goes on is found by it", .timeLimit(.minutes(14)))
    func scanFindsLateBox() async throws {
        let air = try Air()
        let found = try await EpollLoop.withThread { loop in
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let scanning = loop.spawn { try? await central.find("Box 0001", for: .seconds(30)) }
            await Task.yield()
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            defer { withExtendedLifetime(box) {} }
            let address = await scanning.value
            await box.stop()
            return address != nil
        }
        #expect(found)
    }

    @Test("Identity and PSM are read whole at every MTU, and counted apart", arguments: [23, 120, 185, 517])
    func reads(_ mtu: Int) async throws {
        let air = try Air()
        let identity = (0..<119).map { UInt8($0) }
        let (read, psm, counts, negotiated) = try await EpollLoop.withThread {
            [conditions = conditions { $0.attMTU = mtu }] loop in
            let box = try await EchoBox("Box 0001", in: air, on: loop, identity: identity)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path, conditions: conditions)
            let link = try await central.link(to: try await central.find("Box 0001") ?? "")
            let read = try await link.readIdentity()
            let psm = try await link.readPSM()
            let counts = await link.counts
            await box.stop()
            return (read, psm, counts, link.attMTU)
        }
        #expect(read == identity)
        #expect(psm == 0x0080)
        #expect(negotiated == mtu)
        #expect(counts.sent == 0 && counts.received == 0)
        // The requests are for the MTU, the PSM, and the pieces of the identity. At an MTU of 120, the identity fills
        // its piece exactly, and one more read finds the end.
        let pieces = mtu == 120 ? 2 : (119 + mtu - 2) / (mtu - 1)
        #expect(counts.overhead == 2 * (2 + pieces))
    }

    @Test(
        "Messages come back whole at every MTU and in disorder, from several phones and boxes at once",
        arguments: [23, 185, 517])
    func echo(_ mtu: Int) async throws {
        let air = try Air()
        let seed = UInt64.random(in: 1...(.max))
        print("echo: seed \(seed)")
        let wrong = try await EpollLoop.withThread { loop in
            let boxes = [
                try await EchoBox("Box 0001", in: air, on: loop), try await EchoBox("Box 0002", in: air, on: loop),
            ]
            let wrong = await withTaskGroup(of: Int.self) { group in
                for phone in 0..<6 {
                    group.addTask {
                        var conditions = LoopbackConditions()
                        conditions.attMTU = mtu
                        conditions.reorderSeed = phone % 2 == 0 ? seed &+ UInt64(phone) : nil
                        let central = LoopbackCentral(loop: loop, airDirectory: air.path, conditions: conditions)
                        return (try? await self.wrongEchoes(central, "Box 000\(1 + phone % 2)", on: loop)) ?? 100
                    }
                }
                return await group.reduce(0, +)
            }
            for box in boxes { await box.stop() }
            return wrong
        }
        #expect(wrong == 0)
    }

    private func wrongEchoes(_ central: LoopbackCentral, _ name: String, on loop: EpollLoop) async throws -> Int {
        let link = try await central.link(to: try await central.find(name) ?? "")
        let messages = try await messages(link, on: loop)
        var wrong = 0
        for size in [0, 1, 40, 512, 5_000] {
            let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try await messages.send(message)
            if try await messages.receive(until: loop.now() + .seconds(30)) != message { wrong += 1 }
        }
        await messages.close()
        return wrong
    }

    @Test("A handshake and its answer cost one packet each at ATT_MTU 185")
    func packets() async throws {
        let air = try Air()
        let counts = try await EpollLoop.withThread { [conditions = conditions { $0.attMTU = 185 }] loop in
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path, conditions: conditions)
            let link = try await central.link(to: try await central.find("Box 0001") ?? "")
            let messages = try await messages(link, on: loop)
            for size in [97, 60] {
                try await messages.send([UInt8](repeating: 1, count: size))
                _ = try await messages.receive(until: loop.now() + .seconds(30))
            }
            let counts = await link.counts
            await messages.close()
            await box.stop()
            return counts
        }
        #expect(counts.sent == 2)
        #expect(counts.received == 2)
        #expect(counts.overhead == 4)
    }

    @Test("With a connection interval, question and answer take two connection events")
    func connectionInterval() async throws {
        let air = try Air()
        let took = try await EpollLoop.withThread {
            [conditions = conditions { $0.connectionIntervalMilliseconds = 30 }] loop in
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path, conditions: conditions)
            let link = try await central.link(to: try await central.find("Box 0001") ?? "")
            let messages = try await messages(link, on: loop)
            let start = loop.now()
            for _ in 0..<3 {
                try await messages.send([1])
                _ = try await messages.receive(until: loop.now() + .seconds(30))
            }
            let took = loop.now() - start
            await messages.close()
            await box.stop()
            return took
        }
        // This takes six connection events, the first of which may come at once. The machine may add any delay.
        #expect(took >= .milliseconds(150))
    }

    @Test("A lost notification of a longer message ends the link within the gap's limit")
    func droppedNotification() async throws {
        let air = try Air()
        let (error, took) = try await EpollLoop.withThread {
            [
                conditions = conditions {
                    $0.attMTU = 23; $0.dropNotificationEvery = 10
                }
            ] loop in
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path, conditions: conditions)
            let link = try await central.link(to: try await central.find("Box 0001") ?? "")
            let messages = try await messages(link, on: loop)
            try await messages.send([UInt8](repeating: 1, count: 400))
            let start = loop.now()
            let error = await failure { () throws(LinkError) in
                _ = try await messages.receive(until: loop.now() + .seconds(60))
            }
            let took = loop.now() - start
            await box.stop()
            return (error, took)
        }
        #expect(error == .segments(.gapTimedOut))
        #expect(took < .seconds(30))
    }

    @Test("A link that is lost ends for both sides, and a new one can be made")
    func lostLink() async throws {
        let air = try Air()
        let outcome = try await EpollLoop.withThread { [conditions = conditions { $0.loseLinkAfterPackets = 5 }] loop in
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path, conditions: conditions)
            let address = try await central.find("Box 0001") ?? ""
            var ends: [LinkError?] = []
            var echoes = 0
            for _ in 0..<2 {
                let messages = try await messages(try await central.link(to: address), on: loop)
                ends.append(
                    await failure { () throws(LinkError) in
                        while true {
                            try await messages.send([1])
                            _ = try await messages.receive(until: loop.now() + .seconds(30))
                            echoes += 1
                        }
                    })
            }
            await box.stop()
            return (ends, echoes)
        }
        #expect(outcome.0 == [.closed, .closed])
        #expect(outcome.1 == 4)
    }

    @Test("Fifty connections a second, half of them dropped at once, leave the box as it was")
    func connectStorm() async throws {
        let air = try Air()
        let echoed = try await EpollLoop.withThread { loop in
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let address = try await central.find("Box 0001") ?? ""
            for round in 0..<150 {
                let link = try await central.link(to: address)
                if round % 2 == 0 { try await link.subscribe() }
                if round % 3 == 0 { await link.close() }
            }
            let messages = try await messages(try await central.link(to: address), on: loop)
            try await messages.send([9])
            let echoed = try await messages.receive(until: loop.now() + .seconds(30))
            await messages.close()
            await box.stop()
            return echoed
        }
        #expect(echoed == [9])
        #expect(Directories.names(in: air.path, limit: 10).isEmpty)
    }
}
