import AgentConfiguration
import AuditLog
import Names
import PhoneMessages
import VaultPort

/// The links from phones, their peers, and the known data of those devices.
///
///     arrived ──► half-open ──► enrolling ──────────────┐
///                     └──────► a device's ──► greeted   ├──► left
///                                  └─ barred ───────────┘
package struct Phones: Sendable {
    /// The most open requests of one channel. One more is answered `busy`.
    package static let openLimit = 4

    private enum Job: Sendable {
        case autoLogout(DeviceRequest, seconds: UInt32)
        case thresholds(DeviceRequest, StoredThresholds?)
        case use(DeviceID)
        case sheet(DeviceID)
        case credential(DeviceID)
    }

    var channels: [ChannelID: KnownChannel] = [:]
    private(set) var sheets: [DeviceID: DeviceSheet] = [:]
    var admission: LinkAdmission
    /// Devices that were revoked while this agent runs. Their requests no longer have an effect.
    var barredDevices: Set<DeviceID> = []
    private var jobs = Pending<Job>(.phones)
    package private(set) var failuresUnauthenticated: UInt64 = 0

    package init(_ policy: Policy) {
        admission = LinkAdmission(halfOpenLimit: policy.configuration.limits.halfOpenLinks)
    }

    // MARK: - Views

    package var linkCount: Int { channels.count }
    package var authenticatedCount: Int { admission.authenticatedCount }
    package var ids: [ChannelID] { channels.keys.sorted { $0.number < $1.number } }
    /// The oldest channel first.
    package func channels(of device: DeviceID) -> [ChannelID] { admission.channels(of: device.bytes) }
    /// Returns whether messages may be sent to the channel's peer.
    package func hears(_ channel: ChannelID) -> Bool {
        guard let known = channels[channel], !known.isOver else { return false }
        return switch known.peer {
        case .halfOpen: false
        case .enrolling, .visitor, .carried: true
        case .device(let device): !isBarred(device)
        }
    }

    /// Notes that the channel was told to end. It exists until its link is closed.
    package mutating func finished(_ channel: ChannelID) {
        channels[channel]?.isOver = true
    }

    package func isConnected(_ device: DeviceID) -> Bool { !channels(of: device).isEmpty }
    package func isBarred(_ device: DeviceID) -> Bool { barredDevices.contains(device) }
    package func sheet(of device: DeviceID) -> DeviceSheet? { sheets[device] }
    package func connection(of channel: ChannelID) -> String { channels[channel]?.connection ?? "" }
    /// Devices with an open channel, in the order of their ids.
    package var connected: [DeviceID] { sheets.keys.filter { isConnected($0) }.sorted(by: Self.precedes) }

    package func understands(_ capability: Capabilities, _ channel: ChannelID) -> Bool {
        channels[channel]?.capabilities?.contains(capability) ?? false
    }

    /// The capabilities that the phone announced in its hello.
    package func capabilities(of channel: ChannelID) -> Capabilities { channels[channel]?.capabilities ?? [] }

    package static func precedes(_ left: DeviceID, _ right: DeviceID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    // MARK: - Links

    package mutating func arrived(_ id: ChannelID, over connection: String, _ out: inout Output) {
        channels[id] = KnownChannel(connection: connection)
        // A half-open link has no messages to send, so its place is free at once.
        for leaving in admission.arrived(id, over: connection) {
            out.emit(.finish(leaving, .replaced))
            forget(leaving, &out)
        }
        out.tell(.linksChanged)
    }

    /// Handles the first transport message that decrypted under the device's key.
    package mutating func proved(_ id: ChannelID, _ sheet: DeviceSheet, _ out: inout Output) {
        let device = sheet.record.id
        // Refuse a device that was revoked meanwhile. Nothing was sent to it yet.
        guard !isBarred(device), sheet.record.state == .active else { return out.emit(.finish(id, .revoked)) }
        guard channels[id] != nil else { return out.emit(.finish(id, .replaced)) }
        identify(id, sheet, &out)
    }

    /// Assigns the channel to the device.
    mutating func identify(_ id: ChannelID, _ sheet: DeviceSheet, _ out: inout Output) {
        let device = sheet.record.id
        channels[id]?.peer = .device(device)
        // Keep the machine's data, which is at least as new as the data that a channel has read.
        sheets[device] = sheets[device] ?? sheet
        out.emit(.admit(id))
        for leaving in admission.authenticated(id, device: device.bytes) {
            out.emit(.finish(leaving, .replaced))
            // A tap that waits on it is nobody's: the phone could not hear what became of it.
            forget(leaving, &out)
        }
        out.tell(.identified(id, sheets[device] ?? sheet))
    }

    /// Notes that the peer proved the code. Returns whether the link still exists.
    package mutating func provedCode(_ id: ChannelID, _ out: inout Output) -> Bool {
        guard channels[id] != nil else {
            out.emit(.finish(id, .replaced))
            return false
        }
        channels[id]?.peer = .enrolling
        admission.enrolling(id)
        out.emit(.admit(id))
        return true
    }

    package mutating func enrolmentContact(_ id: ChannelID) {
        admission.contact(id)
    }

    package mutating func left(_ id: ChannelID, _ reason: ChannelEnd, peer: String, _ out: inout Output) {
        out.emit(.count(.linkEnded(reason)))
        if reason.isUnauthenticated {
            failuresUnauthenticated += 1
            // Log only powers of two, or anyone nearby could fill the journal. Status has the exact count.
            if failuresUnauthenticated.nonzeroBitCount == 1 {
                out.log(
                    .notice, "unauthenticated links: \(failuresUnauthenticated), the last: \(reason.words), \(peer)",
                    .linkRefused(reason))
            }
        }
        admission.left(id, failed: reason.isUnauthenticated || reason == .grantRefused)
        forget(id, &out)
    }

    /// Removes a channel that has ended, was displaced or was muted. Other components continue without it.
    package mutating func forget(_ id: ChannelID, _ out: inout Output) {
        admission.left(id)
        guard let channel = channels.removeValue(forKey: id) else { return }
        var record: DeviceRecord?
        if case .device(let device) = channel.peer { record = sheets[device]?.record }
        out.tell(.channelLeft(id, record, last: record.map { !isConnected($0.id) } ?? false))
        out.tell(.linksChanged)
    }

    /// Forgets the data of a device without a channel.
    package mutating func forgetSheet(of device: DeviceID) {
        guard !isConnected(device) else { return }
        sheets[device] = nil
    }

    // MARK: - Requests

    /// - Parameter channelHash: The channel's handshake hash, for requests that are carried to the phone's site.
    package mutating func asked(
        _ id: ChannelID, _ message: PhoneRequestMessage, channelHash: [UInt8] = [], _ out: inout Output
    ) {
        guard let channel = channels[id], !channel.isOver else { return }
        let request = TapID(channel: id, request: message.id)
        switch (channel.peer, message.request) {
        case (.halfOpen, _): return
        case (.visitor(let visitor), _): asked(id, visitor, message, &out)
        case (.carried, .carry(let bytes)): out.tell(.carryAsked(id, bytes))
        case (.carried, _): out.emit(.finish(id, .protocolViolation))
        case (.device(let device), _) where isBarred(device): return
        case (_, .hello) where channel.capabilities != nil:
            channels[id]?.open.append(message.id)
            out.answer(request, .badRequest)
        // Refuse the grant of a phone that was enrolled here, so that the phone learns that it needs none.
        case (_, .hello(_, _, grant: .some)):
            channels[id]?.open.append(message.id)
            out.answer(request, .badRequest)
            out.emit(.finish(id, .protocolViolation))
        case (_, .hello(let versions, let capabilities, nil)):
            greet(id, message.id, versions, capabilities, &out)
        case (.enrolling, _): out.tell(.askedToEnrol(id, message))
        case (.device(let device), _):
            guard let record = sheets[device]?.record else { return }
            asked(DeviceRequest(message, of: record, on: id, channelHash), &out)
        }
    }

    private mutating func asked(_ request: DeviceRequest, _ out: inout Output) {
        switch request.request {
        case .enrolment:
            channels[request.channel]?.open.append(request.id)
            // Repeat the answer to the enrolment, which did not reach the phone.
            let result = EnrolResult(request.device, boxID: out.policy.boxID)
            return out.emit(.tellPhone(request.channel, .enrolled(request.id, result)))
        // No answer: at one report a second, an answer would cost as much as the report.
        case .reportSignal: break
        default:
            let count = channels[request.channel]?.open.count ?? Self.openLimit
            // Add a refused request too: its answer closes this entry, and not another request with the same id.
            channels[request.channel]?.open.append(request.id)
            guard count < Self.openLimit else { return out.answer(request.tap, .busy) }
        }
        out.tell(.asked(request))
    }

    /// Removes the open request, because its last answer has left.
    package mutating func answered(_ request: RequestID, on channel: ChannelID) {
        guard let place = channels[channel]?.open.firstIndex(of: request) else { return }
        channels[channel]?.open.remove(at: place)
    }

    private mutating func greet(
        _ id: ChannelID, _ request: RequestID, _ versions: [UInt8], _ capabilities: Capabilities, _ out: inout Output
    ) {
        channels[id]?.capabilities = capabilities
        channels[id]?.open.append(request)
        guard versions.contains(MessageLimits.protocolVersion) else {
            out.answer(TapID(channel: id, request: request), .protocolVersion)
            return out.emit(.finish(id, .protocolViolation))
        }
        answerHello(id, request, capabilities, &out)
    }

    mutating func answerHello(
        _ id: ChannelID, _ request: RequestID, _ capabilities: Capabilities, _ out: inout Output
    ) {
        // Offer elevation even if no service may use it: that can change while the channel is open.
        var own: Capabilities = [.boxHeldCredentials, .logoutWarnings, .elevation, .sessionEnds]
        if out.policy.configuration.presence.enabled { own.insert(.presence) }
        if out.policy.isOfSite { own.formUnion([.siteGrants, .siteNews, .enrolmentNotices]) }
        out.emit(.tellPhone(id, .hello(request, version: MessageLimits.protocolVersion, capabilities: own)))
        if case .device(let device)? = channels[id]?.peer, let record = sheets[device]?.record {
            out.tell(.greeted(id, record, capabilities))
        }
    }
}

// MARK: - Stored data of a device

extension Phones {
    /// Returns the answer if the choice need not be stored, or nil if it must be.
    package func refusal(ofAutoLogout seconds: UInt32, _ device: DeviceID, _ policy: Policy) -> ResultCode? {
        guard policy.configuration.autoLogout.bounds(with: 0).allows(seconds) else { return .notAllowed }
        return sheets[device]?.autoLogout == seconds ? .correct : nil
    }

    package func refusal(ofThresholds new: StoredThresholds?, _ device: DeviceID, _ policy: Policy) -> ResultCode? {
        let presence = policy.configuration.presence
        guard presence.enabled, presence.mayCalibrate else { return .notAllowed }
        return sheets[device]?.thresholds == new ? .correct : nil
    }

    package mutating func setAutoLogout(_ request: DeviceRequest, _ seconds: UInt32, _ out: inout Output) {
        let id = jobs.open(.autoLogout(request, seconds: seconds))
        out.emit(.vault(id, .setAutoLogout(request.device.id, seconds: seconds)))
    }

    package mutating func setThresholds(_ request: DeviceRequest, _ new: StoredThresholds?, _ out: inout Output) {
        let id = jobs.open(.thresholds(request, new))
        out.emit(.vault(id, .setThresholds(request.device.id, new)))
    }

    package mutating func noteUse(of device: DeviceID, _ out: inout Output) {
        out.emit(.vault(jobs.open(.use(device)), .noteUse(of: device)))
    }

    /// Reads the data of an absent device that owns a session. The result comes as `sheetKnown`.
    package mutating func readSheet(of device: DeviceID, _ out: inout Output) {
        out.emit(.vault(jobs.open(.sheet(device)), .readDevice(device)))
    }

    package mutating func credentialKnown(_ device: DeviceID, _ state: CredentialState?) {
        sheets[device]?.credential = state
    }

    /// Reads the credential states again, because the number of tries left depends on the policy's limit.
    package mutating func policyChanged(_ out: inout Output) {
        for device in connected where sheets[device]?.credential != nil {
            out.emit(.vault(jobs.open(.credential(device)), .readDevice(device)))
        }
    }

    package mutating func credentialStale(_ device: DeviceID) {
        guard let credential = sheets[device]?.credential else { return }
        sheets[device]?.credential = CredentialState(attemptsLeft: credential.attemptsLeft, stale: true)
    }

    /// Bars the devices from now on. Returns their channels, which are muted but not told yet.
    package mutating func bar(_ devices: [DeviceID], _ out: inout Output) -> [ChannelID] {
        barredDevices.formUnion(devices)
        let silenced = devices.flatMap { channels(of: $0) }
        for id in silenced { out.emit(.mute(id)) }
        jobs.drop { job in
            switch job {
            case .autoLogout(let request, _), .thresholds(let request, _): devices.contains(request.device.id)
            case .use, .sheet, .credential: false
            }
        }
        out.tell(.barred(devices))
        return silenced
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let job = jobs.close(id) else { return }
        switch job {
        case .autoLogout(let request, let seconds):
            guard isStored(request, "the automatic logout was", answer, &out) else { return }
            sheets[request.device.id]?.autoLogout = seconds
            out.tell(.autoLogoutChosen(request.device.id))
            out.answer(request.tap, .correct)
        case .thresholds(let request, let new):
            guard isStored(request, "thresholds of device \(request.device.id) were", answer, &out) else { return }
            sheets[request.device.id]?.thresholds = new
            out.tell(.thresholdsChosen(request.device.id))
            out.answer(request.tap, .correct)
        case .use:
            if let failure = answer.writeFailure {
                out.log(.error, "the use of a device could not be stored: \(failure)")
            }
        case .sheet(let device): sheetRead(device, answer, &out)
        case .credential(let device):
            // If the read failed, keep the known state. The vault itself enforces the limit.
            guard case .vault(.sheet(let sheet?)) = answer else { return }
            sheets[device]?.credential = sheet.credential
        }
    }

    /// Returns whether the phone's choice was stored. If not, the phone is told.
    private func isStored(_ request: DeviceRequest, _ what: String, _ answer: Answer, _ out: inout Output) -> Bool {
        guard let failure = answer.writeFailure else { return true }
        out.log(.error, "\(what) not stored: \(failure)")
        out.answer(request.tap, .boxFault)
        return false
    }

    private mutating func sheetRead(_ device: DeviceID, _ answer: Answer, _ out: inout Output) {
        guard case .vault(.sheet(let read?)) = answer else {
            out.log(.error, "the vault's record of device \(device) could not be read; run 'boxagent doctor'")
            return out.tell(.sheetUnreadable(device))
        }
        let sheet = sheets[device] ?? read
        sheets[device] = sheet
        out.tell(.sheetKnown(sheet))
    }
}
