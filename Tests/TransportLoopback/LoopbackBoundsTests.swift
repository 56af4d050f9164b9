import EventLoop
import Links
import MessageLinks
import Testing
import Transport

@testable import TransportLoopback

@Suite("The loopback radio's bounds")
struct LoopbackBoundsTests {
    @Test("Notifications that nobody reads hold the box back, and none is lost when they are read")
    func pushBack() async throws {
        let air = try Air()
        let (before, all, inOrder) = try await EpollLoop.withThread { loop in
            let radio = LoopbackPeripheral(loop: loop, airDirectory: air.path)
            try await radio.start(identity: [1], name: "Box 0001")
            await radio.setAdvertising(.fast)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let phone = try await central.link(to: try await central.find("Box 0001") ?? "")
            try await phone.subscribe()
            let box = try await radio.accept()
            // The phone's first segment tells the box the link's tag.
            try await phone.send([0])
            _ = try await box.receive()
            let sending = loop.spawn { () -> Int in
                var sent = 0
                let limit = loop.now() + .seconds(30)
                while sent < 1_000, loop.now() < limit {
                    guard (try? await box.send([UInt8(truncatingIfNeeded: sent)])) != nil else { break }
                    sent += 1
                    await Sent.shared.set(sent)
                }
                return sent
            }
            // The sender has stopped when the count stays the same over many turns of the loop.
            var before = -1
            while before != (await Sent.shared.value) {
                before = await Sent.shared.value
                for _ in 0..<500 { await Task.yield() }
            }
            var received: [UInt8] = []
            while received.count < 1_000 { received += try await phone.receive() }
            let all = await sending.value
            await radio.stop()
            return (before, all, received == (0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
        }
        #expect(before < 100)
        #expect(all == 1_000)
        #expect(inOrder)
    }

    private actor Sent {
        static let shared = Sent()
        private(set) var value = 0
        func set(_ value: Int) { self.value = value }
    }

    @Test("More phones than the accept queue holds wait, and all are served in the end")
    func acceptQueue() async throws {
        let air = try Air()
        let served = try await EpollLoop.withThread { loop in
            let radio = LoopbackPeripheral(loop: loop, airDirectory: air.path)
            try await radio.start(identity: [1], name: "Box 0001")
            await radio.setAdvertising(.fast)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let address = try await central.find("Box 0001") ?? ""
            var phones: [LoopbackCentralLink] = []
            for _ in 0..<(LoopbackPeripheral.acceptQueueLinks + 8) {
                let phone = try await central.link(to: address)
                try await phone.subscribe()
                try await phone.send([0])
                phones.append(phone)
            }
            var served = 0
            for _ in phones {
                let link = try await radio.accept()
                _ = try await link.receive()
                try await link.send([1])
                served += 1
            }
            for phone in phones where try await phone.receive() != [1] { served -= 1 }
            await radio.stop()
            return served
        }
        #expect(served == LoopbackPeripheral.acceptQueueLinks + 8)
    }

    @Test("A box that does not advertise, or is gone, or whose address leads elsewhere, cannot be connected to")
    func refusals() async throws {
        let air = try Air()
        let errors = try await EpollLoop.withThread { loop in
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let address = try await central.find("Box 0001") ?? ""
            func refusal(_ address: String) async -> LinkError? {
                await failure { () throws(LinkError) in _ = try await central.link(to: address) }
            }
            await box.radio.setAdvertising(.off)
            var errors = [await refusal(address)]
            await box.stop()
            errors.append(await refusal(address))
            for address in ["../x.box", "/etc/passwd", "", ".hidden"] { errors.append(await refusal(address)) }
            return errors
        }
        #expect(errors == [.refused] + Array(repeating: .notFound, count: 5))
    }

    @Test("Stopping the radio ends every link and removes its socket")
    func stopping() async throws {
        let air = try Air()
        let ends = try await EpollLoop.withThread { loop in
            let radio = LoopbackPeripheral(loop: loop, airDirectory: air.path)
            try await radio.start(identity: [1], name: "Box 0001")
            await radio.setAdvertising(.fast)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let phone = try await central.link(to: try await central.find("Box 0001") ?? "")
            try await phone.subscribe()
            let box = try await radio.accept()
            let waiting = loop.spawn {
                await failure { () throws(LinkError) in _ = try await radio.accept() }
            }
            await Task.yield()
            await radio.stop()
            return [
                await waiting.value,
                await failure { () throws(LinkError) in _ = try await phone.receive() },
                await failure { () throws(LinkError) in _ = try await box.receive() },
            ]
        }
        #expect(ends == [.closed, .closed, .closed])
        #expect(Directories.names(in: air.path, limit: 10).isEmpty)
    }

    @Test("Rubbish from phones ends their own connections and nobody else's")
    func rubbishFromPhones() async throws {
        let air = try Air()
        let seed = UInt64.random(in: 1...(.max))
        print("rubbish from phones: seed \(seed)")
        let echoed = try await EpollLoop.withThread { loop in
            var random = PacketNoise(seed: seed)
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let address = try await central.find("Box 0001") ?? ""
            let good = MessageLink(
                link: try await central.link(to: address), clock: LoopTime(loop: loop), executor: loop)
            try await (good.link as? LoopbackCentralLink)?.subscribe()
            for round in 0..<300 {
                let path = air.path + "/" + address
                let noise = try await SeqPacketConnection.connect(to: path, on: loop, until: loop.now() + .seconds(10))
                // Every second connection subscribes before it sends noise.
                if round % 2 == 0 {
                    try await noise.send(AttributePDU.exchangeMTURequest(517).bytes)
                    try await noise.send(AttributePDU.writeRequest(handle: 6, [1, 0]).bytes)
                }
                for _ in 0..<8 {
                    guard (try? await noise.send(random.packet(), until: loop.now() + .seconds(5))) != nil else {
                        break
                    }
                }
                await noise.close()
            }
            try await good.send([9])
            let echoed = try await good.receive(until: loop.now() + .seconds(30))
            await good.close()
            await box.stop()
            return echoed
        }
        #expect(echoed == [9])
    }

    @Test("Rubbish from a box fails the phone's call, in bounded time, and nothing else")
    func rubbishFromBoxes() async throws {
        let air = try Air()
        let seed = UInt64.random(in: 1...(.max))
        print("rubbish from boxes: seed \(seed)")
        let (succeeded, found) = try await EpollLoop.withThread { loop in
            let listener = try SeqPacketListener(path: air.path + "/bad.box", mode: 0o600, on: loop)
            let serving = loop.spawn {
                var random = PacketNoise(seed: seed)
                while let connection = try? await listener.accept() {
                    for _ in 0..<3 {
                        _ = try? await connection.receive(limit: 517, until: loop.now() + .milliseconds(1))
                        try? await connection.send(random.packet(), until: loop.now() + .seconds(1))
                    }
                    await connection.close()
                }
            }
            let box = try await EchoBox("Box 0001", in: air, on: loop)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path)
            let found = try await central.find("Box 0001") != nil
            var succeeded = 0
            for _ in 0..<200 {
                let error = await failure { () throws(LinkError) in
                    let link = try await central.link(to: "bad.box")
                    _ = try await link.readIdentity()
                    try await link.subscribe()
                    while true { _ = try await link.receive() }
                }
                if error == nil { succeeded += 1 }
            }
            await listener.close()
            await serving.value
            await box.stop()
            return (succeeded, found)
        }
        #expect(succeeded == 0)
        #expect(found)
    }
}

/// Packets that are random or nearly valid.
private struct PacketNoise {
    private var shuffler: PacketShuffler
    private var state: UInt64

    init(seed: UInt64) {
        state = seed | 1
        shuffler = PacketShuffler(seed: seed)
    }

    private mutating func number(below bound: Int) -> Int {
        // xorshift64
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    mutating func packet() -> [UInt8] {
        let opcodes: [UInt8] = [0x01, 0x02, 0x03, 0x0A, 0x0B, 0x0C, 0x0D, 0x12, 0x13, 0x1B, 0x52, 0xF0, 0xF1]
        var bytes = (0...number(below: 600)).map { _ in UInt8(number(below: 256)) }
        if shuffler.holdsBack() || number(below: 2) == 0 {
            bytes[0] = opcodes[number(below: opcodes.count)]
            bytes = Array(bytes.prefix(1 + number(below: 8)))
            if bytes.count > 2 { (bytes[1], bytes[2]) = (UInt8(number(below: 9)), 0) }
        }
        return bytes
    }
}

@Suite("PDUs of the loopback radio")
struct AttributePDUTests {
    @Test("Every PDU is read back as it was written, and longer or shorter ones are refused")
    func roundTrip() {
        let pdus: [AttributePDU] = [
            .exchangeMTURequest(517), .exchangeMTUResponse(23), .readRequest(handle: 3), .readResponse([1, 2]),
            .readBlobRequest(handle: 3, offset: 300), .readBlobResponse([]), .writeRequest(handle: 6, [1, 0]),
            .writeResponse, .writeCommand(handle: 5, [1]), .notification(handle: 5, []),
            .errorResponse(request: 0x0A, handle: 7, code: 1), .scanRequest, .advertisement(name: [65]),
        ]
        for pdu in pdus { #expect(AttributePDU(pdu.bytes) == pdu) }
        for fixed in [
            [0x02, 0, 0, 0], [0x03, 0], [0x0A, 0], [0x0A, 0, 0, 0], [0x0C, 0, 0, 0], [0x13, 0], [0xF0, 0], [0x99],
        ] {
            #expect(AttributePDU(fixed.map { UInt8($0) }) == nil)
        }
        #expect(AttributePDU([]) == nil)
        #expect(AttributePDU([0x52] + [UInt8](repeating: 0, count: 517)) == nil)
    }
}
