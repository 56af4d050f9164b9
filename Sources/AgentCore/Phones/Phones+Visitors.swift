import Names
import PhoneMessages
import VaultPort

/// Phones of the box's site. Their identity counts once their grant is accepted.
extension Phones {
    /// Decides about a handshake with a key that the vault does not know.
    package mutating func strangerCame(_ id: ChannelID, isWelcome: Bool, _ out: inout Output) {
        guard channels[id] != nil else { return out.emit(.finish(id, .replaced)) }
        guard isWelcome else { return out.emit(.finish(id, .unknownDevice)) }
        out.emit(.admit(id))
        for leaving in admission.strangerCame(id) {
            out.emit(.finish(leaving, .replaced))
            forget(leaving, &out)
        }
    }

    /// Notes that the first transport message decrypted. The link keeps its half-open place.
    package mutating func visited(_ id: ChannelID, _ visitor: Visitor, _ out: inout Output) {
        guard channels[id] != nil else { return out.emit(.finish(id, .replaced)) }
        channels[id]?.peer = .visitor(visitor)
        out.emit(.admit(id))
    }

    /// Handles a visitor's request. Anything but one hello ends the channel.
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

    /// Makes the visitor a device, because its grant is accepted and stored. Returns false if the channel is gone.
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

    /// Lets a later grant admit these devices.
    mutating func unbar(_ devices: [DeviceID]) {
        barredDevices.subtract(devices)
        for device in devices { forgetSheet(of: device) }
    }

    /// Returns whether the channel belongs to a phone of the site.
    func isOfSite(_ channel: ChannelID) -> Bool {
        guard case .device(let device)? = channels[channel]?.peer else { return false }
        return sheets[device]?.record.isOfSite ?? false
    }
}
