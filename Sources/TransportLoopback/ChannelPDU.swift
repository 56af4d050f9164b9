/// L2CAP on the loopback radio's sockets. Connects an LE credit based channel with signalling packets of the real
/// layout (Core Specification 5.4, Vol 3, Part A, 4.22 and 4.23). Each SDU is one message. The first byte differs from
/// every ATT opcode.
///
/// Credits are not modelled. The socket's bounded queue blocks a sender as credits would.
enum ChannelPDU: Equatable, Sendable {
    case connectionRequest(ConnectionRequest)
    case connectionResponse(ConnectionResponse)
    case sdu([UInt8])

    struct ConnectionRequest: Equatable, Sendable {
        let identifier: UInt8
        let psm: UInt16
        let mtu: Int
    }

    struct ConnectionResponse: Equatable, Sendable {
        let identifier: UInt8
        let mtu: Int
        let result: Result
    }

    /// The results of a connection request (4.23).
    enum Result: UInt16, Sendable {
        case success = 0x0000
        case psmNotSupported = 0x0002
        case unacceptableParameters = 0x000B
    }

    /// The smallest MTU and MPS of an LE credit based channel (4.22).
    static let leastMTU = 23
    /// The largest SDU, with the byte before it.
    static let byteLimit = 1 + LoopbackChannel.mtu

    private static let signalling: UInt8 = 0xF2
    private static let data: UInt8 = 0xF4
    private static let requestCode: UInt8 = 0x14
    private static let responseCode: UInt8 = 0x15
    /// The first channel identifier in the dynamic range of an LE link.
    private static let channelIdentifier: UInt16 = 0x0040

    /// Returns nil if the bytes are not one of these messages.
    init?(_ bytes: [UInt8]) {
        guard let kind = bytes.first, bytes.count <= Self.byteLimit else { return nil }
        func number(_ index: Int) -> UInt16 { UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8 }
        switch kind {
        case Self.data: self = .sdu(Array(bytes.dropFirst()))
        case Self.signalling:
            guard bytes.count >= 5, Int(number(3)) == bytes.count - 5 else { return nil }
            switch (bytes[1], bytes.count) {
            case (Self.requestCode, 15):
                self = .connectionRequest(
                    ConnectionRequest(identifier: bytes[2], psm: number(5), mtu: Int(number(9))))
            case (Self.responseCode, 15):
                guard let result = Result(rawValue: number(13)) else { return nil }
                self = .connectionResponse(
                    ConnectionResponse(identifier: bytes[2], mtu: Int(number(7)), result: result))
            default: return nil
            }
        default: return nil
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .sdu(let bytes): return [Self.data] + bytes
        case .connectionRequest(let request):
            let mtu = UInt16(clamping: request.mtu)
            // PSM, source channel, MTU, MPS, initial credits.
            return Self.packet(
                Self.requestCode, request.identifier, [request.psm, Self.channelIdentifier, mtu, mtu, UInt16.max])
        case .connectionResponse(let response):
            let mtu = UInt16(clamping: response.mtu)
            // Destination channel, MTU, MPS, initial credits, result.
            return Self.packet(
                Self.responseCode, response.identifier,
                [Self.channelIdentifier, mtu, mtu, UInt16.max, response.result.rawValue])
        }
    }

    private static func packet(_ code: UInt8, _ identifier: UInt8, _ fields: [UInt16]) -> [UInt8] {
        let length = UInt8(clamping: 2 * fields.count)
        return [signalling, code, identifier, length, 0]
            + fields.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
}

extension ChannelPDU.ConnectionResponse {
    /// Makes the response of a box whose channel has the PSM `offered`. 0 means that the box has no channel.
    init(answering request: ChannelPDU.ConnectionRequest, offered: UInt16) {
        identifier = request.identifier
        mtu = LoopbackChannel.mtu
        if offered == 0 || request.psm != offered {
            result = .psmNotSupported
        } else {
            result = request.mtu < ChannelPDU.leastMTU ? .unacceptableParameters : .success
        }
    }
}
