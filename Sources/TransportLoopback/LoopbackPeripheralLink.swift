import EventLoop
import Transport

/// One phone's connection, as the box sees it.
actor LoopbackPeripheralLink: PhoneLink {
    nonisolated let bearer = Bearer.gatt
    nonisolated let peerDescription: String
    /// Fixed once the phone has subscribed, which is before anybody else sees the link.
    nonisolated var attMTU: Int { negotiated.value }

    private let connection: SeqPacketConnection
    private let table: LoopbackTable
    private let advertised: Bool
    private nonisolated let negotiated = NegotiatedMTU()
    private var subscribed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(connection: SeqPacketConnection, table: LoopbackTable, advertised: Bool) {
        self.connection = connection
        self.table = table
        self.advertised = advertised
        peerDescription = "loopback phone, process \(connection.peer.processID)"
    }

    /// Answers until the phone has asked for notifications; false when it left, broke a rule or took too long.
    func becomeSubscribed(within limit: Duration) async -> Bool {
        try? await connection.setBuffers(
            sendBytes: LoopbackLimits.socketBytes, receiveBytes: LoopbackLimits.socketBytes)
        let deadline = connection.loop.now() + limit
        while !subscribed {
            let bytes = try? await connection.receive(limit: AttributePDU.byteLimit, until: deadline)
            guard let bytes, let pdu = AttributePDU(bytes), await answer(pdu, until: deadline) else { return false }
        }
        return true
    }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        guard segment.count <= attMTU - 3 else { throw .messageTooLarge }
        try await write(.notification(handle: AttributePDU.Handle.transfer, segment))
    }

    func receive() async throws(LinkError) -> [UInt8] {
        while true {
            let bytes: [UInt8]?
            do {
                bytes = try await connection.receive(limit: attMTU)
            } catch {
                throw error == .cancelled ? .cancelled : .closed
            }
            guard let bytes, let pdu = AttributePDU(bytes) else { throw .closed }
            if case .writeCommand(AttributePDU.Handle.transfer, let segment) = pdu { return segment }
            guard await answer(pdu, until: nil) else { throw .closed }
        }
    }

    func close() async {
        await connection.close()
    }

    /// Answers what is not data; false ends the connection.
    private func answer(_ pdu: AttributePDU, until deadline: Duration?) async -> Bool {
        let reply: AttributePDU
        switch pdu {
        case .scanRequest:
            if advertised {
                try? await connection.send(AttributePDU.advertisement(name: table.name).bytes, until: deadline)
            }
            return false
        case .exchangeMTURequest(let asked):
            // Vol 3, Part F, 3.4.2: both sides use the smaller of the two, and never less than 23.
            guard !subscribed else { return false }
            let mtu = min(max(Int(asked), 23), AttributePDU.byteLimit)
            negotiated.set(mtu)
            reply = .exchangeMTUResponse(UInt16(mtu))
        case .readRequest(AttributePDU.Handle.identity): reply = .readResponse(table.identity)
        case .readRequest(AttributePDU.Handle.psm):
            reply = .readResponse([UInt8(truncatingIfNeeded: table.psm), UInt8(truncatingIfNeeded: table.psm >> 8)])
        case .writeRequest(AttributePDU.Handle.transferConfiguration, [0x01, 0x00]):
            subscribed = true
            reply = .writeResponse
        case .readRequest(let handle):
            reply = .errorResponse(request: 0x0A, handle: handle, code: 0x01)
        case .writeRequest(let handle, _):
            reply = .errorResponse(request: 0x12, handle: handle, code: 0x01)
        // Data before the subscription, and what only a server sends.
        default: return false
        }
        return (try? await connection.send(reply.bytes, until: deadline)) != nil
    }

    private func write(_ pdu: AttributePDU) async throws(LinkError) {
        do {
            try await connection.send(pdu.bytes)
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
    }
}
