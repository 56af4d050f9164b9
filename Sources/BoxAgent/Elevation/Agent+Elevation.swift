import AgentCore
import AgentProtocol
import AuditLog
import PhoneMessages
import Sessions
import Vault
import VaultPort

/// Programs such as sudo, for which a person allows the use of their password on the phone, one request at a time.
extension Agent {
    /// A program of a service that policy counts to elevation; nil when it is refused.
    func elevationAsked(
        _ request: PAMAuthentication, from program: any LoginProgram, peer: Caller
    ) async -> ProgramID? {
        // Whoever does not wait for an answer on the phone asks nothing.
        guard let user = request.user, request.waitSeconds > 0 else {
            program.refuse(.noTap)
            return nil
        }
        guard let place = await elevationPlace(of: peer.pid), place.allows(request.service) else {
            let service = LogText.text(request.service)
            log.notice(
                "elevation of \(LogText.text(user)) for \(service) is refused: \(UnavailableReason.notAtSeat)",
                .elevationRefused(user, "\(UnavailableReason.notAtSeat)"))
            program.refuse(.notAtSeat)
            return nil
        }
        guard !stopping else {
            program.refuse(.agentFault)
            return nil
        }
        let id = ProgramID(number: number())
        programs[id] = program
        programActors[id] = .program(service: request.service, terminal: request.terminal)
        let now = loop.now()
        let limit = min(request.waitSeconds, UInt64(configuration.elevation.waitSeconds))
        let ask = ElevationRendezvous.Ask(
            program: id, user: user,
            service: Self.label(request.service, then: place.isInBackground ? ElevationPlace.backgroundSign : ""),
            terminal: Self.label(request.terminal ?? []),
            requester: Array(place.session.user.utf8.prefix(MessageLimits.userBytes)),
            until: now + .seconds(Int64(limit)))
        perform(elevations.handle(.asked(ask), now: now))
        rearm()
        return id
    }

    func perform(_ actions: [ElevationRendezvous.Action]) {
        for action in actions {
            switch action {
            case .tellAsking(let program): programs[program]?.tellAsking()
            case .refuse(let program, let reason): programs.removeValue(forKey: program)?.refuse(reason)
            case .deliver(let ask, let tap): deliver(tap, to: ask.program, elevation: ask)
            case .show(let prompt, let channel): channels[channel]?.tell(.elevation(prompt))
            case .over(let id, let channel): channels[channel]?.tell(.elevationOver(id))
            case .tellDelivered(let tap): channels[tap.channel]?.tell(.progress(tap.request, .delivered))
            case .answer(let tap, let code): answer(tap, code)
            }
        }
    }

    func elevate(_ id: ElevationID, _ tap: Tap) {
        guard !barred.contains(tap.device) else { return }
        perform(elevations.handle(.allowed(id, tap), now: loop.now()))
        rearm()
    }

    func declineElevation(_ id: ElevationID, of device: DeviceRecord) async {
        // What is over is not worth an entry: a phone that declines for ever would fill the log.
        guard elevations.isOpen(id, user: device.user) else { return }
        // Over before it is waited for: the next decline, which may be here already, finds it so.
        perform(elevations.handle(.declined(id, user: device.user), now: loop.now()))
        rearm()
        await auditCounted(.elevationDeclined, user: device.user, device: device.id, by: .phone(device.id.bytes))
    }

    /// A phone that shows requests, and the one that may wait already.
    func phoneShowsElevations(_ user: [UInt8], on channel: ChannelID) {
        perform(elevations.handle(.phoneCame(channel, user: user), now: loop.now()))
    }

    /// What another program says of itself, as text that people may be shown.
    private static func label(_ bytes: [UInt8], then sign: String = "") -> [UInt8] {
        let limit = MessageLimits.labelBytes - sign.utf8.count
        var text = LogText.text(Array(bytes.prefix(limit)))
        while text.utf8.count > limit { text.removeLast() }
        return Array((text + sign).utf8)
    }
}
