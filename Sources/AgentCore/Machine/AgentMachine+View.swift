import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// The current data for phones, greeters and commands.
extension AgentMachine {
    var view: View {
        View(
            devices: phones.connected.compactMap(view(of:)), greeters: controls.greeters, greeterState: greeterState,
            advertising: advertising.mode, shown: site.shown(policy))
    }

    private var greeterState: GreeterState {
        GreeterState(
            // Phones must not look for this box by digits that belong to another box.
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

    /// Sends the state to a phone that asks for it.
    func tellState(of device: DeviceID, on channel: ChannelID, _ out: inout Output) {
        guard let view = view(of: device) else { return }
        out.emit(.tellPhone(channel, view.message(out.time)))
    }

    // MARK: - For `boxagent status` and its listings

    /// Returns the status without the number of devices in the vault.
    ///
    /// - Parameter activity: Includes activity, which shows when a waiting tap could be intercepted.
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

    /// Returns the site that the box belongs to, or nil if there is none.
    package func siteListing(now: Duration) -> SiteListing? { site.listing(now: now) }
    /// The reason why there is no site, for a command.
    package var siteRefusal: ControlReply {
        policy.place.foreign.map { Refusals.failure(.fault, $0.problem, $0.cure) } ?? site.refusal
    }

    package func isConnected(_ device: DeviceID) -> Bool { phones.isConnected(device) }

    /// Returns the presence of the user's phones, or of all phones if `user` is nil.
    package func presenceListings(ofUser user: [UInt8]?, now: Duration) -> [PresenceListing] {
        presences.listings(ofUser: user, policy: policy, now: now)
    }

    /// Returns the phone that owns a logind session, or nil if no phone does.
    package func owner(ofSession id: [UInt8]) -> DeviceID? { sessions.session(.logind(id))?.device }

    package var radioState: RadioState { advertising.state }
    /// Sessions that phones opened and that no locker can lock.
    package var sessionsWithoutLocker: [String] { known.withoutLocker }
}
