import Names
import PhoneMessages
import VaultPort

/// Phones of the box's site: who they are counts once their grant does.
extension Phones {
    /// A key that the vault does not know would shake hands.
    package mutating func strangerCame(_ id: ChannelID, isWelcome: Bool, _ out: inout Output) {
        guard channels[id] != nil else { return out.emit(.finish(id, .replaced)) }
        guard isWelcome else { return out.emit(.finish(id, .unknownDevice)) }
        out.emit(.admit(id))
        for leaving in admission.strangerCame(id) {
            out.emit(.finish(leaving, .replaced))
            forget(leaving, &out)
        }
    }

    /// The first transport message decrypted. It goes on holding the place of a half-open link.
    package mutating func visited(_ id: ChannelID, _ visitor: Visitor, _ out: inout Output) {
        guard channels[id] != nil else { return out.emit(.finish(id, .replaced)) }
        channels[id]?.peer = .visitor(visitor)
        out.emit(.admit(id))
    }

    /// Anything but one hello ends the channel.
    mutating func asked(_ id: ChannelID, _ visitor: Visitor, _ message: PhoneRequestMessage, _ out: inout Output) {
        guard case .hello(let versions, let capabilities, let grant) = message.request,
            channels[id]?.capabilities == nil
        else { return out.emit(.finish(id, .protocolViolation)) }
        channels[id]?.capabilities = capabilities
        channels[id]?.open.append(message.id)
        guard versions.contains(MessageLimits.protocolVersion) else {
            out.answer(TapID(channel: id, request: message.id), .protocolVersion)
            return out.emit(.finish(id, .protocolViolation))
        }
        out.tell(
            .visitorGreets(
                VisitorHello(
                    channel: id, request: message.id, visitor: visitor, capabilities: capabilities, grant: grant)))
    }

    /// The grant counts, and is written down: a device like any other from now on. False where the channel is gone.
    mutating func letIn(_ hello: VisitorHello, _ sheet: DeviceSheet, _ out: inout Output) -> Bool {
        guard let channel = channels[hello.channel], !channel.isOver, case .visitor = channel.peer else { return false }
        let device = sheet.record.id
        guard !isBarred(device) else {
            turnAway(hello, .grantNotAccepted, entry: nil, &out)
            return false
        }
        identify(hello.channel, sheet, &out)
        answerHello(hello.channel, hello.request, hello.capabilities, &out)
        return true
    }

    mutating func turnAway(_ hello: VisitorHello, _ code: ResultCode, entry: [UInt8]?, _ out: inout Output) {
        if let entry { out.emit(.tellPhone(hello.channel, .siteEntry(entry))) }
        out.answer(TapID(channel: hello.channel, request: hello.request), code)
        out.emit(.finish(hello.channel, code == .revokedBySite ? .revoked : .grantRefused))
    }

    /// A later grant may let these in.
    mutating func unbar(_ devices: [DeviceID]) {
        barredDevices.subtract(devices)
        for device in devices { forgetSheet(of: device) }
    }

    /// Whether the channel is a site phone's.
    func isOfSite(_ channel: ChannelID) -> Bool {
        guard case .device(let device)? = channels[channel]?.peer else { return false }
        return sheets[device]?.record.isOfSite ?? false
    }
}
