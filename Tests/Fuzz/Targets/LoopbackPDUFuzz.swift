@testable import TransportLoopback

/// Any packet on the loopback radio's sockets, read as a PDU of the Attribute Protocol.
enum AttributePDUFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let pdu = AttributePDU(bytes) else { return 0 }
        promise(bytes.count <= AttributePDU.byteLimit, "a packet over the limit was taken")
        promise(pdu.bytes == bytes, "a packet does not come out as it went in")
        promise(ChannelPDU(bytes) == nil, "one packet is two protocols'")
        return 0
    }
}

/// Any packet, read as a PDU of an L2CAP channel. Fields that are not modelled may have any value.
enum ChannelPDUFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let pdu = ChannelPDU(bytes) else { return 0 }
        promise(bytes.count <= ChannelPDU.byteLimit, "a packet over the limit was taken")
        promise(ChannelPDU(pdu.bytes) == pdu, "what was read is not what it is written as")
        promise(AttributePDU(bytes) == nil, "one packet is two protocols'")
        if case .sdu = pdu { promise(pdu.bytes == bytes, "an SDU does not come out as it went in") }
        if case .connectionRequest(let request) = pdu {
            for offered in [0, request.psm] {
                let response = ChannelPDU.ConnectionResponse(answering: request, offered: offered)
                promise(offered != 0 || response.result != .success, "a box without a channel gives one")
                let isEnough = request.mtu >= ChannelPDU.leastMTU
                promise(response.result != .success || isEnough, "a channel below the least MTU is given")
            }
        }
        return 0
    }
}
