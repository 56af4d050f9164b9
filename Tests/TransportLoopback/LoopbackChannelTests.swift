import EventLoop
import Testing
import Transport

@testable import TransportLoopback

@Suite("The loopback radio's L2CAP channel")
struct LoopbackChannelTests {
    /// What a connected phone does, with the box's radio beside it.
    private func withPhone<Value: Sendable>(
        offersL2CAP: Bool = true, conditions: LoopbackConditions = LoopbackConditions(),
        _ body: @escaping @Sendable (any CentralLink, LoopbackPeripheral, EpollLoop) async throws -> Value
    ) async throws -> Value {
        let air = try Air()
        return try await EpollLoop.withThread { loop in
            let radio = LoopbackPeripheral(loop: loop, airDirectory: air.path, offersL2CAP: offersL2CAP)
            try await radio.start(identity: [1], name: "Box 0001")
            await radio.setAdvertising(.fast)
            let central = LoopbackCentral(loop: loop, airDirectory: air.path, conditions: conditions)
            let phone = try await central.connect(to: try await central.find("Box 0001") ?? "")
            let value = try await body(phone, radio, loop)
            await radio.stop()
            return value
        }
    }

    @Test("Messages come back whole and in order over L2CAP, and both ends know bearer, PSM and MTU")
    func echo() async throws {
        let (ends, wrong) = try await withPhone { phone, radio, loop in
            let channel = try await phone.openChannel(psm: try await phone.readPSM())
            let box = try await radio.accept()
            let serving = loop.spawn {
                let messages = MessageLink(
                    link: box, clock: LoopTime(loop: loop), executor: loop, messageLimit: Segmentation.messageBytes)
                while let message = try? await messages.receive(until: loop.now() + .seconds(60)) {
                    guard (try? await messages.send(message)) != nil else { break }
                }
                await messages.close()
            }
            let messages = MessageLink(
                link: channel, clock: LoopTime(loop: loop), executor: loop, messageLimit: Segmentation.messageBytes)
            var wrong = 0
            for size in [0, 1, 512, 5_000, 65_536] {
                let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                try await messages.send(message)
                if try await messages.receive(until: loop.now() + .seconds(30)) != message { wrong += 1 }
            }
            await messages.close()
            await serving.value
            return ([channel, box].map { End(bearer: $0.bearer, psm: $0.psm, mtu: $0.attMTU) }, wrong)
        }
        let expected = End(bearer: .l2cap, psm: 0x0080, mtu: Bearer.l2cap.segmentLimitBytes)
        #expect(ends == [expected, expected])
        #expect(wrong == 0)
    }

    private struct End: Sendable, Equatable {
        let bearer: Bearer
        let psm: UInt16
        let mtu: Int
    }

    @Test("A wrong PSM, and a box without L2CAP, are refused, and GATT still works on the same connection")
    func refused() async throws {
        for offersL2CAP in [true, false] {
            let (psm, error, received) = try await withPhone(offersL2CAP: offersL2CAP) { phone, radio, loop in
                let psm = try await phone.readPSM()
                let error = await failure { () throws(LinkError) in _ = try await phone.openChannel(psm: 0x0081) }
                try await phone.subscribe()
                try await phone.send([7])
                return (psm, error, try await radio.accept().receive())
            }
            #expect(psm == (offersL2CAP ? 0x0080 : 0))
            #expect(error == .refused)
            #expect(received == [7])
        }
    }

    @Test("A phone with an open channel cannot send over GATT as well")
    func phoneSide() async throws {
        let errors = try await withPhone { phone, _, _ in
            _ = try await phone.openChannel(psm: 0x0080)
            return [
                await failure { () throws(LinkError) in try await phone.send([1]) },
                await failure { () throws(LinkError) in try await phone.subscribe() },
                await failure { () throws(LinkError) in _ = try await phone.receive() },
                await failure { () throws(LinkError) in _ = try await phone.openChannel(psm: 0x0080) },
            ]
        }
        #expect(errors == [.refused, .refused, .refused, .refused])
    }

    @Test("A box ends the connection of a phone that writes the transfer characteristic while its channel is open")
    func boxSide() async throws {
        let air = try Air()
        let (boxEnd, phoneEnd) = try await EpollLoop.withThread { loop in
            let radio = LoopbackPeripheral(loop: loop, airDirectory: air.path)
            try await radio.start(identity: [1], name: "Box 0001")
            await radio.setAdvertising(.fast)
            let path = air.path + "/" + (LoopbackAir.sockets(in: air.path).first ?? "")
            let raw = try await SeqPacketConnection.connect(to: path, on: loop, until: loop.now() + .seconds(10))
            let request = ChannelPDU.ConnectionRequest(identifier: 9, psm: 0x0080, mtu: 512)
            try await raw.send(ChannelPDU.connectionRequest(request).bytes)
            _ = try await raw.receive(limit: 64, until: loop.now() + .seconds(10))
            let box = try await radio.accept()
            try await raw.send(ChannelPDU.sdu([1, 2]).bytes)
            try await raw.send(AttributePDU.writeCommand(handle: AttributePDU.Handle.transfer, [3]).bytes)
            let first = try await box.receive()
            guard first == [1, 2] else { throw TestFailure(text: "\(first)") }
            let boxEnd = await failure { () throws(LinkError) in _ = try await box.receive() }
            let phoneEnd = try await raw.receive(limit: 64, until: loop.now() + .seconds(10))
            await radio.stop()
            return (boxEnd, phoneEnd)
        }
        #expect(boxEnd == .closed)
        #expect(phoneEnd == nil)
    }

    @Test("A link that is lost ends the channel for both sides")
    func lostLink() async throws {
        var conditions = LoopbackConditions()
        conditions.loseLinkAfterPackets = 2
        let ends = try await withPhone(conditions: conditions) { phone, radio, _ in
            let channel = try await phone.openChannel(psm: 0x0080)
            let box = try await radio.accept()
            try await channel.send([1])
            _ = try await box.receive()
            return [
                // Two packets of the link layer, and so one too many.
                await failure { () throws(LinkError) in try await channel.send([UInt8](repeating: 1, count: 300)) },
                await failure { () throws(LinkError) in _ = try await box.receive() },
            ]
        }
        #expect(ends == [.closed, .closed])
    }

    @Test("Malformed channel PDUs are told from good ones, which keep their bytes")
    func parsing() {
        let request = ChannelPDU.connectionRequest(.init(identifier: 1, psm: 0x0080, mtu: 1_024))
        #expect(
            request.bytes == [0xF2, 0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 0, 4, 0, 4, 0xFF, 0xFF])
        for pdu in [
            request, .connectionResponse(.init(identifier: 2, mtu: 23, result: .psmNotSupported)), .sdu([1]), .sdu([]),
        ] {
            #expect(ChannelPDU(pdu.bytes) == pdu)
        }
        for end in 0..<request.bytes.count {
            #expect(ChannelPDU(Array(request.bytes.prefix(end))) == nil)
        }
        #expect(ChannelPDU([0xF4] + [UInt8](repeating: 0, count: LoopbackChannel.mtu + 1)) == nil)
        #expect(AttributePDU(request.bytes) == nil)
        let small = ChannelPDU.ConnectionRequest(identifier: 1, psm: 0x0080, mtu: 22)
        #expect(ChannelPDU.ConnectionResponse(answering: small, offered: 0x0080).result == .unacceptableParameters)
    }
}
