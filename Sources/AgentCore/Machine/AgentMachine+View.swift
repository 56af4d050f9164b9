import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// What everybody is to know now.
extension AgentMachine {
    var view: View {
        View(
            devices: phones.connected.compactMap(view(of:)), greeters: controls.greeters, greeterState: greeterState,
            advertising: advertising.mode, shown: site.shown(policy))
    }

    private var greeterState: GreeterState {
        GreeterState(
            // No phone shall look for this box by digits that are another's.
            boxID: policy.place.foreign == nil ? policy.boxDigits : "", radio: policy.configuration.radio.name,
            radioWorks: advertising.state.isWorking, radioState: advertising.state.description,
            greeters: UInt64(controls.greeters.count), tapUser: logins.unclaimedUser)
    }

    func view(of device: DeviceID) -> DeviceView? {
        guard let sheet = phones.sheet(of: device) else { return nil }
        let session = sessions.state(of: device)
        let limits = policy.configuration.autoLogout
        let state = BoxState(
            session: session, user: session == .none ? nil : sheet.record.user,
            autoLogout: limits.bounds(with: AwayChoice(sheet).seconds(limits)), logoutInSeconds: nil,
            credentialStale: sheet.credential?.stale ?? false, pinAttemptsLeft: sheet.credential?.attemptsLeft)
        let channels = phones.channels(of: device).map {
            DeviceView.Channel(id: $0, capabilities: phones.capabilities(of: $0))
        }
        let warning = logouts.warning(of: device).map {
            DeviceView.Warning(cause: $0.cause, at: $0.at, canExtend: $0.canExtend)
        }
        let allLocked = session == .none ? nil : session == .locked
        return DeviceView(
            device: device, channels: channels, state: state, end: logouts.nextEnd(of: device)?.at,
            offer: presences.offer(of: device, sessionsAllLocked: allLocked), warning: warning)
    }

    /// The state as the phone is told it when it asks.
    func tellState(of device: DeviceID, on channel: ChannelID, _ out: inout Output) {
        guard let view = view(of: device) else { return }
        out.emit(.tellPhone(channel, view.message(out.time)))
    }

    // MARK: - For `boxagent status` and its listings

    /// All but the number of devices in the vault.
    ///
    /// - Parameter activity: For who may know it: who sees that a tap waits knows when to reach for it.
    package func status(activity: Bool, upFor uptime: Duration, now: Duration) -> AgentStatus {
        var status = AgentStatus()
        status.boxID = policy.boxDigits
        status.radio = policy.configuration.radio.name
        status.radioState = advertising.state.description
        status.uptimeSeconds = UInt64(max(0, uptime.components.seconds))
        status.sessionsOwned = UInt64(sessions.count)
        status.enrolmentOpen = enrolments.isOpen
        status.site = siteListing(now: now).map { SiteMembership.words($0) }
        status.failuresUnauthenticated = phones.failuresUnauthenticated
        guard activity else { return status }
        var goingOn = AgentActivity()
        goingOn.linksOpen = UInt64(phones.linkCount)
        goingOn.channelsAuthenticated = UInt64(phones.authenticatedCount)
        goingOn.programsWaiting = UInt64(logins.waitingCount)
        goingOn.tapHeld = logins.holdsCredential
        status.activity = goingOn
        return status
    }

    /// The site that the box belongs to; nil: none.
    package func siteListing(now: Duration) -> SiteListing? { site.listing(now: now) }
    /// Why there is none, for a command.
    package var siteRefusal: ControlReply { site.refusal }

    package func isConnected(_ device: DeviceID) -> Bool { phones.isConnected(device) }

    /// Root sees all phones, others those of their own user.
    package func presenceListings(ofUser user: [UInt8]?, now: Duration) -> [PresenceListing] {
        presences.listings(ofUser: user, policy: policy, now: now)
    }

    /// Whose a logind session is; nil: no phone's.
    package func owner(ofSession id: [UInt8]) -> DeviceID? { sessions.session(.logind(id))?.device }

    package var radioState: RadioState { advertising.state }
    /// Sessions that phones opened and nobody could lock.
    package var sessionsWithoutLocker: [String] { known.withoutLocker }
}
