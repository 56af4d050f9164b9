/// The messages on the loopback radio's sockets: the few ATT PDUs that our GATT table needs (Core Specification 5.4,
/// Vol 3, Part F, 3.4), and an advertisement on request.
enum AttributePDU: Equatable, Sendable {
    case exchangeMTURequest(UInt16)
    case exchangeMTUResponse(UInt16)
    case readRequest(handle: UInt16)
    case readResponse([UInt8])
    /// Requests the rest of a value that is longer than one PDU.
    case readBlobRequest(handle: UInt16, offset: UInt16)
    case readBlobResponse([UInt8])
    /// Writes the client characteristic configuration descriptor, to subscribe.
    case writeRequest(handle: UInt16, [UInt8])
    case writeResponse
    case writeCommand(handle: UInt16, [UInt8])
    case notification(handle: UInt16, [UInt8])
    case errorResponse(request: UInt8, handle: UInt16, code: UInt8)
    /// Not ATT: replaces the link layer's scan request and its response.
    case scanRequest
    case advertisement(name: [UInt8])

    /// The handles of the frozen table.
    enum Handle {
        static let identity: UInt16 = 3
        static let transfer: UInt16 = 5
        static let transferConfiguration: UInt16 = 6
        static let psm: UInt16 = 8
    }

    /// Error codes (3.4.1.1).
    enum Failure: UInt8 {
        case invalidHandle = 0x01
        case invalidOffset = 0x07
    }

    /// The largest PDU in bytes, for an ATT_MTU of 517.
    static let byteLimit = 517

    /// Returns nil if the bytes are not one of these PDUs.
    init?(_ bytes: [UInt8]) {
        guard let opcode = bytes.first, bytes.count <= Self.byteLimit else { return nil }
        let handle = bytes.count >= 3 ? UInt16(bytes[1]) | UInt16(bytes[2]) << 8 : nil
        switch (opcode, handle, bytes.count) {
        case (0x01, _, 5):
            self = .errorResponse(request: bytes[1], handle: UInt16(bytes[2]) | UInt16(bytes[3]) << 8, code: bytes[4])
        case (0x02, .some(let mtu), 3): self = .exchangeMTURequest(mtu)
        case (0x03, .some(let mtu), 3): self = .exchangeMTUResponse(mtu)
        case (0x0A, .some(let handle), 3): self = .readRequest(handle: handle)
        case (0x0B, _, _): self = .readResponse(Array(bytes.dropFirst()))
        case (0x0C, .some(let handle), 5):
            self = .readBlobRequest(handle: handle, offset: UInt16(bytes[3]) | UInt16(bytes[4]) << 8)
        case (0x0D, _, _): self = .readBlobResponse(Array(bytes.dropFirst()))
        case (0x12, .some(let handle), _): self = .writeRequest(handle: handle, Array(bytes.dropFirst(3)))
        case (0x13, _, 1): self = .writeResponse
        case (0x52, .some(let handle), _): self = .writeCommand(handle: handle, Array(bytes.dropFirst(3)))
        case (0x1B, .some(let handle), _): self = .notification(handle: handle, Array(bytes.dropFirst(3)))
        case (0xF0, _, 1): self = .scanRequest
        case (0xF1, _, _): self = .advertisement(name: Array(bytes.dropFirst()))
        default: return nil
        }
    }

    var bytes: [UInt8] {
        func number(_ value: UInt16) -> [UInt8] {
            [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        return switch self {
        case .errorResponse(let request, let handle, let code): [0x01, request] + number(handle) + [code]
        case .exchangeMTURequest(let mtu): [0x02] + number(mtu)
        case .exchangeMTUResponse(let mtu): [0x03] + number(mtu)
        case .readRequest(let handle): [0x0A] + number(handle)
        case .readResponse(let value): [0x0B] + value
        case .readBlobRequest(let handle, let offset): [0x0C] + number(handle) + number(offset)
        case .readBlobResponse(let value): [0x0D] + value
        case .writeRequest(let handle, let value): [0x12] + number(handle) + value
        case .writeResponse: [0x13]
        case .writeCommand(let handle, let value): [0x52] + number(handle) + value
        case .notification(let handle, let value): [0x1B] + number(handle) + value
        case .scanRequest: [0xF0]
        case .advertisement(let name): [0xF1] + name
        }
    }
}
