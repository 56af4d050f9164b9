import PhoneMessages
import VaultPort

/// Who has proved a key that this box did not enrol: a phone of its site, or whoever says so.
package struct Visitor: Equatable, Sendable {
    /// 32 bytes.
    package let key: [UInt8]
    /// What the vault keeps of the device; nil where it knows no such key.
    package let sheet: DeviceSheet?
}

/// A visitor's hello, which is answered once a grant counts.
package struct VisitorHello: Sendable {
    package let channel: ChannelID
    package let request: RequestID
    package let visitor: Visitor
    package let capabilities: Capabilities
    package let grant: ShownGrant?

    /// It is nobody yet, and would say something to the site.
    package var wantsCarry: Bool { grant == nil && capabilities.contains(.siteEnrolment) }
    var carryAnswer: BoxMessage {
        .hello(request, version: MessageLimits.protocolVersion, capabilities: .siteEnrolment)
    }
    package var key: [UInt8] { visitor.key }
    package var sheet: DeviceSheet? { visitor.sheet }
}
