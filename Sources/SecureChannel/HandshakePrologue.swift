/// What both sides must agree on before the handshake: its hash goes into every message's tag.
public struct HandshakePrologue: Sendable, Equatable {
    /// What the channel is for.
    public enum Purpose: UInt8, Sendable {
        case channel = 1
        case enrol = 2
    }

    /// What carries the messages. Each bearer has its own handshake; counters never cross.
    public enum Bearer: UInt8, Sendable {
        case gatt = 1
        case l2cap = 2
    }

    /// Starts every prologue; a protocol that is not compatible takes another.
    public static let label: StaticString = "boxlink/2"

    public let purpose: Purpose
    public let bearer: Bearer
    /// The exact bytes of the identity characteristic, as the phone read them.
    public let identity: [UInt8]
    /// The L2CAP PSM, 0 on GATT.
    public let psm: UInt16
    /// For enrolment the code's id, 8 bytes.
    public let codeID: [UInt8]?

    /// The prologue of a login and control channel.
    public static func channel(bearer: Bearer, identity: [UInt8], psm: UInt16 = 0) -> HandshakePrologue {
        HandshakePrologue(purpose: .channel, bearer: bearer, identity: identity, psm: psm, codeID: nil)
    }

    /// The prologue of an enrolment with the code that has the id `codeID`.
    public static func enrol(
        bearer: Bearer, identity: [UInt8], psm: UInt16 = 0, codeID: [UInt8]
    ) -> HandshakePrologue {
        HandshakePrologue(purpose: .enrol, bearer: bearer, identity: identity, psm: psm, codeID: codeID)
    }

    public init(purpose: Purpose, bearer: Bearer, identity: [UInt8], psm: UInt16, codeID: [UInt8]?) {
        self.purpose = purpose
        self.bearer = bearer
        self.identity = identity
        self.psm = psm
        self.codeID = codeID
    }

    /// label ‖ purpose (1) ‖ bearer (1) ‖ length of identity (2, big-endian) ‖ identity ‖ PSM (2, big-endian) ‖
    /// code id (0 or 8).
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.label.utf8CodeUnitCount + 6 + identity.count + (codeID?.count ?? 0))
        Self.label.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(purpose.rawValue)
        bytes.append(bearer.rawValue)
        bytes.append(UInt8(truncatingIfNeeded: identity.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: identity.count))
        bytes.append(contentsOf: identity)
        bytes.append(UInt8(truncatingIfNeeded: psm >> 8))
        bytes.append(UInt8(truncatingIfNeeded: psm))
        bytes.append(contentsOf: codeID ?? [])
        return bytes
    }
}
