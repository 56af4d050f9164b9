import EventLoop
import GATTProfile
import Links
import Transport

/// The box's side of one phone's connection.
actor LoopbackPeripheralLink: PhoneLink {
    nonisolated var binding: [UInt8] { BearerBinding.gatt.bytes }
    nonisolated var carrierName: String { BearerBinding.gatt.name }
    nonisolated let peerDescription: String
    /// Fixed when the phone is ready, before any other code gets the link.
    nonisolated var attMTU: Int { negotiated.value }
    nonisolated var segmentLimits: SegmentLimits {
        SegmentLimits(
            sentBytes: Bearer.gatt.boxSegmentBytes(mtu: attMTU), receivedBytes: Bearer.gatt.segmentLimitBytes)
    }

    private let connection: SeqPacketConnection
    private let table: LoopbackTable
    private let advertised: Bool
    private nonisolated let negotiated = NegotiatedMTU()
    private var subscribed = false
    private var channel: LoopbackChannel?
    /// The tag of the first value. This radio carries one link on each connection.
    private var tag: LinkTag?

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(connection: SeqPacketConnection, table: LoopbackTable, advertised: Bool) {
        self.connection = connection
        self.table = table
        self.advertised = advertised
        peerDescription = "loopback phone, process \(connection.peer.processID)"
    }

    /// Answers until the phone subscribes or opens the L2CAP channel. Returns the link, which is the channel in the
    /// second case. Returns nil if the phone left, broke a rule or was too slow.
    func becomeReady(within limit: Duration) async -> (any PhoneLink)? {
        try? await connection.setBuffers(
            sendBytes: LoopbackLimits.socketBytes, receiveBytes: LoopbackLimits.socketBytes)
        let deadline = connection.loop.now() + limit
        while !subscribed {
            let bytes = try? await connection.receive(limit: attMTU, until: deadline)
            guard let bytes else { return nil }
            if case .connectionRequest(let request)? = ChannelPDU(bytes) {
                guard await open(request, until: deadline) else { return nil }
                if let channel { return channel }
                continue
            }
            guard let pdu = AttributePDU(bytes), await answer(pdu, until: deadline) else { return nil }
        }
        return self
    }

    /// Answers the request for a channel. Returns false to end the connection.
    private func open(_ request: ChannelPDU.ConnectionRequest, until deadline: Duration) async -> Bool {
        guard advertised else { return false }
        let answer = ChannelPDU.ConnectionResponse(answering: request, offered: table.psm)
        let sent: ()? = try? await connection.send(ChannelPDU.connectionResponse(answer).bytes, until: deadline)
        if answer.result == .success {
            channel = LoopbackChannel(
                connection: connection, psm: request.psm, mtu: min(request.mtu, LoopbackChannel.mtu),
                peerDescription: peerDescription + ", L2CAP")
        }
        return sent != nil
    }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        // The box cannot send until the phone's first value has given the link its tag.
        guard let tag else { throw .refused }
        guard segment.count <= segmentLimits.sentBytes else { throw .messageTooLarge }
        try await write(.notification(handle: AttributePDU.Handle.transfer, tag.tagged(segment)))
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
            if case .writeCommand(AttributePDU.Handle.transfer, let value) = pdu {
                guard let segment = segment(of: value) else { continue }
                return segment
            }
            guard await answer(pdu, until: nil) else { throw .closed }
        }
    }

    func close() async {
        await connection.close()
    }

    private func segment(of value: [UInt8]) -> [UInt8]? {
        if tag == nil { tag = LinkTag.split(value)?.tag }
        return tag?.segment(of: value)
    }

    /// Answers PDUs other than data. Returns false to end the connection.
    private func answer(_ pdu: AttributePDU, until deadline: Duration?) async -> Bool {
        if case .scanRequest = pdu {
            guard advertised, !subscribed else { return false }
            try? await connection.send(AttributePDU.advertisement(name: table.name).bytes, until: deadline)
            return false
        }
        // A phone cannot connect to a box that does not advertise.
        guard advertised, let reply = reply(to: pdu) else { return false }
        return (try? await connection.send(reply.bytes, until: deadline)) != nil
    }

    /// Returns nil for data before the subscription, and for PDUs that only a server sends.
    private func reply(to pdu: AttributePDU) -> AttributePDU? {
        switch pdu {
        case .exchangeMTURequest(let asked):
            // Vol 3, Part F, 3.4.2: both sides use the smaller value, but at least 23.
            guard !subscribed else { return nil }
            let mtu = min(max(Int(asked), 23), AttributePDU.byteLimit)
            negotiated.set(mtu)
            return .exchangeMTUResponse(UInt16(mtu))
        case .readRequest(let handle):
            guard let value = value(of: handle) else { return failure(0x0A, handle, .invalidHandle) }
            return .readResponse(Array(value.prefix(attMTU - 1)))
        case .readBlobRequest(let handle, let offset):
            guard let value = value(of: handle) else { return failure(0x0C, handle, .invalidHandle) }
            guard offset <= value.count else { return failure(0x0C, handle, .invalidOffset) }
            return .readBlobResponse(Array(value.dropFirst(Int(offset)).prefix(attMTU - 1)))
        case .writeRequest(AttributePDU.Handle.transferConfiguration, [0x01, 0x00]):
            subscribed = true
            return .writeResponse
        case .writeRequest(let handle, _):
            return failure(0x12, handle, .invalidHandle)
        default: return nil
        }
    }

    private func value(of handle: UInt16) -> [UInt8]? {
        switch handle {
        case AttributePDU.Handle.identity: table.identity
        case AttributePDU.Handle.psm:
            [UInt8(truncatingIfNeeded: table.psm), UInt8(truncatingIfNeeded: table.psm >> 8)]
        default: nil
        }
    }

    private func failure(_ request: UInt8, _ handle: UInt16, _ reason: AttributePDU.Failure) -> AttributePDU {
        .errorResponse(request: request, handle: handle, code: reason.rawValue)
    }

    private func write(_ pdu: AttributePDU) async throws(LinkError) {
        do {
            try await connection.transmit(pdu.bytes)
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
    }
}
