import AgentCore
import PhoneMessages
import Sessions
import Vault
import VaultPort

/// The warning before an automatic logout on its way to the phone, and the tap that puts the logout off.
extension Agent {
    /// Tells the device's phone what it was warned of, when that has changed.
    func refreshWarning(_ device: DeviceID) {
        let warning = logoutSchedule.warning(of: device)
        guard warning != shownWarnings[device] else { return }
        shownWarnings[device] = warning
        let message = BoxMessage.logoutWarning(warning.map { LogoutWarning($0, now: loop.now()) })
        for channel in admission.channels(of: device.bytes) where understands(.logoutWarnings, channel) {
            channels[channel]?.tell(message)
        }
    }

    /// What a phone that has just come would have been told before.
    func tellStandingWarning(of device: DeviceID, to channel: PhoneChannel) {
        guard understands(.logoutWarnings, channel.id), let warning = logoutSchedule.warning(of: device) else { return }
        channel.tell(.logoutWarning(LogoutWarning(warning, now: loop.now())))
    }

    /// The person taps to go on. What is put off is written down before the phone hears that it is.
    func extendSessions(of device: DeviceRecord) async -> ResultCode {
        guard !barred.contains(device.id) else { return .revoked }
        guard sessions.values.contains(where: { $0.device == device.id }) else { return .noSession }
        let actions = logoutSchedule.handle(.extend(device.id), now: loop.now())
        let isStored = await perform(actions)
        rearm()
        guard isStored else { return .boxFault }
        if actions.contains(where: \.putsOff) {
            log.notice("\(LogText.text(device.user)) puts off the automatic logout from the phone")
            await auditCounted(
                .sessionOperation, user: device.user, device: device.id, by: .phone(device.id.bytes), detail: "extend")
            return .correct
        }
        return actions.isEmpty ? .notDue : .notAllowed
    }
}

extension LogoutSchedule.Action {
    fileprivate var putsOff: Bool {
        switch self {
        case .extended, .keepExtensions: true
        default: false
        }
    }
}

extension LogoutWarning {
    fileprivate init(_ warning: LogoutSchedule<SessionKey, DeviceID>.Warning, now: Duration) {
        self.init(
            seconds: MessageLimits.seconds(until: warning.at, now: now), cause: Cause(warning.cause),
            canExtend: warning.canExtend)
    }
}

extension LogoutWarning.Cause {
    fileprivate init(_ cause: LogoutCause) {
        switch cause {
        case .away: self = .away
        case .idle: self = .idle
        case .longest: self = .longest
        case .closing: self = .closing
        }
    }
}
