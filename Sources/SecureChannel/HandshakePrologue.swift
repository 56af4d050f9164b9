/// The data on which both sides must agree before the handshake, and whose hash goes into every message's tag.
public struct HandshakePrologue: Sendable, Equatable {
    /// The purpose of the channel.
    public enum Purpose: UInt8, Sendable {
        case channel = 1
        case enrol = 2
    }

    /// Starts every prologue. An incompatible protocol uses another label.
    public static let label: StaticString = "boxlink/2"

    public let purpose: Purpose
    /// The carrier's binding from the radio, whose first byte names the carrier's kind. An empty binding counts as one
    /// byte 0. Each carrier has its own handshake, so counters never cross.
    public let binding: [UInt8]
    /// The exact bytes of the box's identity, as the phone read them.
    public let identity: [UInt8]
    /// For enrolment, the code's id, 8 bytes.
    public let codeID: [UInt8]?

    /// Returns the prologue of a login and control channel.
    public static func channel(binding: [UInt8], identity: [UInt8]) -> HandshakePrologue {
        HandshakePrologue(purpose: .channel, binding: binding, identity: identity, codeID: nil)
    }

    /// Returns the prologue of an enrolment with the code of id `codeID`.
    public static func enrol(binding: [UInt8], identity: [UInt8], codeID: [UInt8]) -> HandshakePrologue {
        HandshakePrologue(purpose: .enrol, binding: binding, identity: identity, codeID: codeID)
    }

    private init(purpose: Purpose, binding: [UInt8], identity: [UInt8], codeID: [UInt8]?) {
        self.purpose = purpose
        self.binding = binding
        self.identity = identity
        self.codeID = codeID
    }

    /// label ‖ purpose (1) ‖ the binding's first byte ‖ length of identity (2, big-endian) ‖ identity ‖ the rest of the
    /// binding ‖ code id (0 or 8). Over Bluetooth the binding is the bearer and the PSM (docs/reference/protocol.md).
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.label.utf8CodeUnitCount + 4 + binding.count + identity.count + 8)
        Self.label.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(purpose.rawValue)
        bytes.append(binding.first ?? 0)
        bytes.append(UInt8(truncatingIfNeeded: identity.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: identity.count))
        bytes.append(contentsOf: identity)
        bytes.append(contentsOf: binding.dropFirst())
        bytes.append(contentsOf: codeID ?? [])
        return bytes
    }
}
