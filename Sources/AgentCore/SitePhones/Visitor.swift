import PhoneMessages
import VaultPort

/// A phone that has proved a key that this box did not enrol. It claims to belong to the box's site.
package struct Visitor: Equatable, Sendable {
    /// 32 bytes.
    package let key: [UInt8]
    /// The vault's data about the device, or nil if the vault does not know the key.
    package let sheet: DeviceSheet?
}

/// A visitor's hello, which is answered once a grant is accepted.
package struct VisitorHello: Sendable {
    package let channel: ChannelID
    package let request: RequestID
    package let visitor: Visitor
    package let capabilities: Capabilities
    package let grant: ShownGrant?

    /// True if the phone has no grant yet and wants to exchange messages with the site.
    package var wantsCarry: Bool { grant == nil && capabilities.contains(.siteEnrolment) }
    var carryAnswer: BoxMessage {
        .hello(request, version: MessageLimits.protocolVersion, capabilities: .siteEnrolment)
    }
    package var key: [UInt8] { visitor.key }
    package var sheet: DeviceSheet? { visitor.sheet }
}
