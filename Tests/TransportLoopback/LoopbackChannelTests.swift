import EventLoop
import GATTProfile
import Links
import MessageLinks
import Testing
import Transport

@testable import TransportLoopback

@Suite("The loopback radio's L2CAP channel")
struct LoopbackChannelTests {
    /// Runs `body` with a connected phone and the box's radio.
    private func withPhone<Value: Sendable>(
        offersL2CAP: Bool = true, conditions: LoopbackConditions = LoopbackConditions(),
        preference: BearerPreference = .automatic,
        _ body: @escaping @Sendable (LoopbackCentralLink, LoopbackPeripheral, EpollLoop) async throws -> Value
    ) async throws -> Value {
        let air = try Air()
        return try await EpollLoop.withThread { loop in
            let radio = LoopbackPeripheral(loop: loop, airDirectory: air.path, offersL2CAP: offersL2CAP)
            try await radio.start(identity: [1], name: "Box 0001")
            await radio.setAdvertising(.fast)
            let central = LoopbackCentral(
                loop: loop, airDirectory: air.path, conditions: conditions, preference: preference)
            let phone = try await central.link(to: try await central.find("Box 0001") ?? "")
            let value = try await body(phone, radio, loop)
            await radio.stop()
            return value
        }
    }

    @Test("Messages come back whole and in order over L2CAP, and both ends say the same of it")
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
            return ([channel, box].map { End($0) }, wrong)
        }
        #expect(ends.map(\.binding) == [[2, 0x00, 0x80], [2, 0x00, 0x80]])
        #expect(ends.map(\.name) == ["L2CAP (PSM 128)", "L2CAP (PSM 128)"])
        let limits = SegmentLimits(sentBytes: 2_048, receivedBytes: 2_048)
        #expect(ends.map(\.limits) == [limits, limits])
        #expect(wrong == 0)
    }

    private struct End: Sendable {
        let binding: [UInt8]
        let name: String
        let limits: SegmentLimits

        init(_ link: any PhoneLink) {
            binding = link.binding
            name = link.carrierName
            limits = link.segmentLimits
        }
    }

    @Test(
        "A phone opens what its person prefers and the demand asks for; where there is no L2CAP, GATT, and a word said")
    func opening() async throws {
        let missing = "has no L2CAP channel for this phone now; the phone uses GATT, which is slower"
        for (offersL2CAP, preference, demand, expected) in [
            (true, BearerPreference.automatic, LinkDemand.little, Opened("GATT", .little)),
            (true, .automatic, .much, Opened("L2CAP (PSM 128)", .much)),
            (true, .gatt, .much, Opened("GATT", .little)),
            (true, .l2cap, .little, Opened("L2CAP (PSM 128)", .much)),
            (false, .automatic, .little, Opened("GATT", .little)),
            (false, .automatic, .much, Opened("GATT", .little, missing)),
            (false, .gatt, .much, Opened("GATT", .little)),
            (false, .l2cap, .little, Opened("GATT", .little, missing)),
        ] {
            let (opened, atBox, received) = try await withPhone(offersL2CAP: offersL2CAP, preference: preference) {
                phone, radio, _ in
                let opened = try await phone.open(for: demand)
                try await opened.link.send([7])
                let box = try await radio.accept()
                return (opened, box.carrierName, try await box.receive())
            }
            #expect(Opened(opened.link.carrierName, opened.carries, opened.shortcoming) == expected)
            #expect(atBox == expected.name)
            #expect(received == [7])
        }
    }

    private struct Opened: Equatable {
        let name: String
        let carries: LinkDemand
        let shortcoming: String?

        init(_ name: String, _ carries: LinkDemand, _ shortcoming: String? = nil) {
            self.name = name
            self.carries = carries
            self.shortcoming = shortcoming
        }
    }

    @Test(
        "A box that names a PSM which cannot be, or refuses the channel, is talked to over GATT",
        arguments: [0x0101, 0x0081])
    func uselessPSM(_ psm: UInt16) async throws {
        let air = try Air()
        let (opened, requests) = try await EpollLoop.withThread { loop in
            let listener = try SeqPacketListener(path: air.path + "/one.box", mode: 0o600, on: loop)
            let serving = loop.spawn { await Self.serve(listener, showing: psm, on: loop) }
            let central = LoopbackCentral(loop: loop, airDirectory: air.path, preference: .l2cap)
            let opened = try await central.connect(to: "one.box").open(for: .little)
            await opened.link.close()
            let requests = await serving.value
            await listener.close()
            return (opened, requests)
        }
        #expect(opened.link.carrierName == "GATT")
        #expect(opened.shortcoming == BearerPreference.withoutL2CAP)
        // The phone requests no channel for a number outside the dynamic PSMs.
        #expect(requests == (psm == 0x0081 ? 1 : 0))
    }

    /// Acts as a box that shows this PSM but accepts no channel. Returns the number of requests for a channel.
    private static func serve(_ listener: SeqPacketListener, showing psm: UInt16, on loop: EpollLoop) async -> Int {
        var requests = 0
        guard let connection = try? await listener.accept() else { return -1 }
        while let bytes = try? await connection.receive(limit: 517, until: loop.now() + .seconds(10)) {
            let answer: [UInt8]?
            if case .connectionRequest(let request)? = ChannelPDU(bytes) {
                requests += 1
                answer = ChannelPDU.connectionResponse(.init(answering: request, offered: 0)).bytes
            } else {
                switch AttributePDU(bytes) {
                case .exchangeMTURequest: answer = AttributePDU.exchangeMTUResponse(185).bytes
                case .readRequest(AttributePDU.Handle.psm):
                    answer = AttributePDU.readResponse([UInt8(truncatingIfNeeded: psm), UInt8(psm >> 8)]).bytes
                case .writeRequest: answer = AttributePDU.writeResponse.bytes
                default: answer = nil
                }
            }
            guard let answer, (try? await connection.send(answer)) != nil else { break }
        }
        await connection.close()
        return requests
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

    @Test("A phone that goes on sending hears what the box said before it hung up", arguments: [false, true])
    func lastWords(overL2CAP: Bool) async throws {
        let (heard, end) = try await withPhone { phone, radio, _ in
            let link: any PhoneLink
            if overL2CAP {
                link = try await phone.openChannel(psm: 0x0080)
            } else {
                try await phone.subscribe()
                link = phone
            }
            let box = try await radio.accept()
            try await link.send([1])
            _ = try await box.receive()
            try await link.send([2])
            try await box.send([3])
            await box.close()
            try await link.send([4])
            let heard = try await link.receive()
            return (heard, await failure { () throws(LinkError) in _ = try await link.receive() })
        }
        #expect(heard == [3])
        #expect(end == .closed)
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
                // This message needs two packets, which exceeds the limit by one.
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
