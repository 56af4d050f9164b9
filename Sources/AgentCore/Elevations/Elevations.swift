import PAMProtocol
import AuditLog
import Names
import PhoneMessages
import VaultPort

/// Programs such as sudo. The user allows each use of the password on the phone, one request at a time.
///
///     asks ──► place ──► shown on the user's phones ──► allowed ──► place ──► granted
///       └─ refused └─ refused      └─ declined, timed out, no phone left └─ refused
package struct Elevations: Sendable {
    private struct Arrival: Sendable {
        let program: ProgramID
        let request: PAMAuthentication
        let caller: Caller
        let user: [UInt8]
    }

    /// A program whose request a phone may allow, and the place that the phone shows.
    private struct Waiting: Sendable {
        let applicant: Applicant
        let service: [UInt8]
        let place: ElevationPlace
    }

    private struct Allowance: Sendable {
        let id: ElevationID
        let tap: Tap
    }

    private var rendezvous = ElevationRendezvous()
    private var waiting: [ProgramID: Waiting] = [:]
    private var arrivals = Pending<Arrival>(.elevations)
    /// Taps that allow a request while the program's place is looked up again.
    private var allowances = Pending<Allowance>(.elevations, after: OperationID.secondKind)
    private var isStopping = false

    package init() {}

    package var deadline: Duration? { rendezvous.deadline }

    /// Returns whether a phone of that user can still answer the request.
    package func isOpen(_ id: ElevationID, user: [UInt8]) -> Bool { rendezvous.isOpen(id, user: user) }

    // MARK: - Programs

    package mutating func asks(
        _ program: ProgramID, _ request: PAMAuthentication, _ caller: Caller, _ out: inout Output
    ) {
        guard !isStopping else { return out.emit(.tellProgram(program, .refused(.agentFault))) }
        // Refuse a program that names no user, or that does not wait for the phone's answer.
        guard let user = request.user, request.waitSeconds > 0 else {
            return out.emit(.tellProgram(program, .refused(.noTap)))
        }
        let id = arrivals.open(Arrival(program: program, request: request, caller: caller, user: user))
        out.emit(.lookUp(id, .elevationPlace(process: caller.pid)))
    }

    /// - Parameter locked: The logind sessions that the agent itself has locked. Not every locker tells logind.
    package mutating func answered(
        _ id: OperationID, _ answer: Answer, locked: Set<[UInt8]>, _ out: inout Output
    ) {
        if let allowance = allowances.close(id) { return looked(allowance, place(answer, locked), &out) }
        guard let arrival = arrivals.close(id) else { return }
        guard !isStopping else { return out.emit(.tellProgram(arrival.program, .refused(.agentFault))) }
        let request = arrival.request
        guard let place = place(answer, locked), place.allows(request.service) else {
            logMisplaced(arrival.user, request.service, &out)
            return out.emit(.tellProgram(arrival.program, .refused(.notAtSeat)))
        }
        let actor = AuditActor.program(service: request.service, terminal: request.terminal)
        let asker = Asker(
            caller: arrival.caller, user: arrival.user, terminal: request.terminal ?? [], session: place.session.id)
        waiting[arrival.program] = Waiting(
            applicant: Applicant(program: arrival.program, actor: actor, asker: asker), service: request.service,
            place: place)
        let limit = min(request.waitSeconds, UInt64(out.policy.configuration.elevation.waitSeconds))
        let ask = ElevationRendezvous.Ask(
            program: arrival.program, user: arrival.user,
            service: Self.label(request.service, then: place.isInBackground ? ElevationPlace.backgroundSign : ""),
            terminal: Self.label(request.terminal ?? []),
            requester: Array(place.session.user.utf8.prefix(UserName.byteLimit)),
            until: out.time + .seconds(Int64(limit)))
        perform(rendezvous.handle(.asked(ask), now: out.time), &out)
    }

    package mutating func left(_ program: ProgramID, _ out: inout Output) {
        waiting[program] = nil
        arrivals.drop { $0.program == program }
        perform(rendezvous.handle(.programLeft(program), now: out.time), &out)
    }

    // MARK: - Phones

    /// Adds a phone that shows requests, and shows it the open request, if there is one.
    package mutating func phoneShows(_ user: [UInt8], on channel: ChannelID, _ out: inout Output) {
        perform(rendezvous.handle(.phoneCame(channel, user: user), now: out.time), &out)
    }

    package mutating func phoneLeft(_ channel: ChannelID, _ out: inout Output) {
        allowances.drop { $0.tap.id.channel == channel }
        perform(rendezvous.handle(.phoneLeft(channel), now: out.time), &out)
    }

    /// Looks up the program's place again: its session may have left the screen since the phone showed the request.
    package mutating func allowed(_ id: ElevationID, _ tap: Tap, _ out: inout Output) {
        guard let process = waiting(for: id, tap)?.applicant.process else { return out.answer(tap.id, .timedOut) }
        out.emit(.lookUp(allowances.open(Allowance(id: id, tap: tap)), .elevationPlace(process: process)))
    }

    private mutating func looked(_ allowance: Allowance, _ now: ElevationPlace?, _ out: inout Output) {
        let (id, tap) = (allowance.id, allowance.tap)
        // The request has ended meanwhile. The rendezvous answers the tap.
        guard let shown = waiting(for: id, tap) else {
            return perform(rendezvous.handle(.allowed(id, tap), now: out.time), &out)
        }
        guard let now, now.allows(shown.service), now.isStill(shown.place) else {
            logMisplaced(tap.user, shown.service, &out)
            return perform(rendezvous.handle(.misplaced(id, tap), now: out.time), &out)
        }
        perform(rendezvous.handle(.allowed(id, tap), now: out.time), &out)
    }

    /// Returns the program of a request that the tap can still answer.
    private func waiting(for id: ElevationID, _ tap: Tap) -> Waiting? {
        rendezvous.program(of: id, user: tap.user).flatMap { waiting[$0] }
    }

    /// Cancels the device's taps, because their credential is destroyed. The requests stay open.
    package mutating func withdraw(of device: DeviceID, as code: ResultCode = .cancelled, _ out: inout Output) {
        withdraw({ $0.device == device }, as: code, &out)
    }

    /// Cancels the taps of all of the user's devices, because the password was changed. The requests stay open.
    package mutating func withdraw(ofUser user: [UInt8], _ out: inout Output) {
        withdraw({ $0.user == user }, &out)
    }

    private mutating func withdraw(_ isMeant: (Tap) -> Bool, as code: ResultCode = .cancelled, _ out: inout Output) {
        for allowance in allowances.all where isMeant(allowance.tap) { out.answer(allowance.tap.id, code) }
        allowances.drop { isMeant($0.tap) }
    }

    package mutating func barred(_ devices: [DeviceID]) {
        allowances.drop { devices.contains($0.tap.device) }
    }

    package mutating func declined(_ id: ElevationID, _ request: DeviceRequest, _ out: inout Output) {
        let device = request.device
        // A late decline gets no entry, or a phone could fill the log. Another phone may have allowed the request.
        guard isOpen(id, user: device.user) else { return out.answer(request.tap, .timedOut) }
        defer { out.answer(request.tap, .correct) }
        perform(rendezvous.handle(.declined(id, user: device.user), now: out.time), &out)
        out.recordCounted(.elevationDeclined, user: device.user, device: device.id, by: .phone(device.id))
    }

    /// Starts the user's quiet time, because the delivered secret was not the password.
    package mutating func wrong(_ user: [UInt8], _ out: inout Output) {
        perform(rendezvous.handle(.wrong(user: user), now: out.time), &out)
    }

    // MARK: - Time and actions

    package mutating func timeHasCome(_ out: inout Output) {
        perform(rendezvous.handle(.timer, now: out.time), &out)
    }

    package mutating func stop(_ out: inout Output) {
        isStopping = true
        perform(rendezvous.stop(), &out)
        for arrival in arrivals.all { out.emit(.tellProgram(arrival.program, .refused(.agentFault))) }
        arrivals.drop { _ in true }
        for allowance in allowances.all { out.answer(allowance.tap.id, .boxFault) }
        allowances.drop { _ in true }
    }

    private func logMisplaced(_ user: [UInt8], _ service: [UInt8], _ out: inout Output) {
        let words = UnavailableReason.notAtSeat.words
        out.logCounted(
            .notice, "elevation of \(LogText.text(user)) for \(LogText.text(service)) is refused: \(words)",
            .promptRefused(user: user, words), paidBy: .program(service: service))
    }

    private func place(_ answer: Answer, _ locked: Set<[UInt8]>) -> ElevationPlace? {
        guard case .elevationPlace(let found?) = answer else { return nil }
        return ElevationPlace(
            session: found.session, isInBackground: found.isInBackground,
            isLockedByAgent: locked.contains(found.session.idBytes))
    }

    private mutating func perform(_ actions: [ElevationRendezvous.Action], _ out: inout Output) {
        for action in actions {
            switch action {
            case .tellAsking(let program): out.emit(.tellProgram(program, .asking))
            case .refuse(let program, let reason):
                waiting[program] = nil
                out.emit(.tellProgram(program, .refused(reason)))
            case .deliver(let ask, let tap):
                guard let applicant = waiting.removeValue(forKey: ask.program)?.applicant else { continue }
                out.tell(.granted(applicant, tap, elevation: ask))
            case .show(let prompt, let channel): out.emit(.tellPhone(channel, .elevation(prompt)))
            case .over(let id, let channel): out.emit(.tellPhone(channel, .elevationOver(id)))
            case .tellDelivered(let tap): out.emit(.tellPhone(tap.channel, .progress(tap.request, .delivered)))
            case .answer(let tap, let code): out.answer(tap, code)
            }
        }
    }

    /// Returns a text from another program, cut and made safe to show to users.
    private static func label(_ bytes: [UInt8], then sign: String = "") -> [UInt8] {
        let limit = MessageLimits.labelBytes - sign.utf8.count
        var text = LogText.text(Array(bytes.prefix(limit)))
        while text.utf8.count > limit { text.removeLast() }
        return Array((text + sign).utf8)
    }
}
