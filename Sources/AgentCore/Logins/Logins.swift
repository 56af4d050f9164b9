import PAMProtocol
import AuditLog
import Names
import PhoneMessages
import VaultPort

/// Programs that ask for a login, and the taps that answer them.
///
///     asks ──► policy ──► seat ──────────► waits ──┐
///                └─ refused └─ refused             ├──► granted
///     opened ──► seats of programs ──────► held ───┘
///                                           └─ withdrawn, revoked, timed out
package struct Logins: Sendable {
    private struct Arrival: Sendable {
        let program: ProgramID
        let request: PAMAuthentication
        let caller: Caller
    }

    private var rendezvous: LoginRendezvous
    private var waiting: [ProgramID: Applicant] = [:]
    private var arrivals = Pending<Arrival>(.logins)
    /// Taps that came while programs wait, until the current places of the programs are known.
    private var taps = Pending<Tap>(.logins, after: OperationID.secondKind)
    private var isStopping = false

    package init(_ policy: Policy) {
        rendezvous = LoginRendezvous(holdTime: .seconds(policy.configuration.login.holdSeconds))
    }

    package var deadline: Duration? { rendezvous.deadline }
    package var waitingCount: Int { rendezvous.waitingPrograms }
    package func isWaiting(_ program: ProgramID) -> Bool { waiting[program] != nil }
    package var holdsCredential: Bool { rendezvous.holdsCredential }
    /// The user whose tap waits for a greeter.
    package var unclaimedUser: [UInt8]? { rendezvous.unclaimedUser }

    // MARK: - Programs

    package mutating func asks(
        _ program: ProgramID, _ request: PAMAuthentication, _ caller: Caller, _ out: inout Output
    ) {
        guard !isStopping else { return out.emit(.tellProgram(program, .refused(.agentFault))) }
        let policy = ServicePolicy(out.policy.configuration)
        if let reason = policy.refusal(request, peer: caller) {
            perform(rendezvous.handle(.programRefused(user: request.user), now: out.time), &out)
            return refuse(program, request, caller, reason, reason.words, &out)
        }
        if policy.elevationServices.contains(request.service) {
            return out.tell(.elevationAsked(program, request, caller))
        }
        let id = arrivals.open(Arrival(program: program, request: request, caller: caller))
        out.emit(.lookUp(id, .seat(request, caller)))
    }

    /// Starts `boxagent test-login`, which waits for a tap but logs no user in.
    package mutating func tests(_ program: ProgramID, user: [UInt8]?, seconds: UInt64, _ out: inout Output) {
        wait(Applicant(program: program, actor: .agent, asker: nil), user, seconds, takeOnly: false, &out)
    }

    /// Forgets a program whose socket closed, at any stage.
    package mutating func left(_ program: ProgramID, _ out: inout Output) {
        waiting[program] = nil
        arrivals.drop { $0.program == program }
        perform(rendezvous.handle(.programLeft(program), now: out.time), &out)
    }

    private mutating func arrived(_ arrival: Arrival, _ answer: Answer, _ out: inout Output) {
        guard case .seat(let session, let facts) = answer, !isStopping else {
            return out.emit(.tellProgram(arrival.program, .refused(.agentFault)))
        }
        let (request, caller) = (arrival.request, arrival.caller)
        if let reason = refusal(of: facts, out.policy) {
            perform(rendezvous.handle(.programRefused(user: request.user), now: out.time), &out)
            return refuse(arrival.program, request, caller, .notAtSeat, reason, &out)
        }
        let asker = Asker(
            caller: caller, user: request.user, terminal: request.terminal ?? [], session: session)
        let actor = AuditActor.program(service: request.service, terminal: request.terminal)
        wait(
            Applicant(program: arrival.program, actor: actor, asker: asker), request.user, request.waitSeconds,
            takeOnly: request.waitSeconds == 0, &out)
    }

    private mutating func wait(
        _ applicant: Applicant, _ user: [UInt8]?, _ seconds: UInt64, takeOnly: Bool, _ out: inout Output
    ) {
        waiting[applicant.program] = applicant
        let longest = UInt64(out.policy.configuration.login.longestWaitSeconds)
        let until = out.time + .seconds(Int64(min(seconds, longest)))
        let event = LoginRendezvous.Event.programAsks(applicant.program, user: user, takeOnly: takeOnly, until: until)
        perform(rendezvous.handle(event, now: out.time), &out)
    }

    /// Refuses a program. With `wait=0` and no held tap, no credential was withheld, so no line is logged.
    func refuse(
        _ program: ProgramID, _ request: PAMAuthentication, _ caller: Caller, _ reason: UnavailableReason,
        _ words: String, _ out: inout Output
    ) {
        if request.waitSeconds > 0 || holdsCredential {
            let service = LogText.text(request.service)
            out.logCounted(
                .notice, "service \(service) of process \(caller.pid) gets no credential: \(words)",
                .promptRefused(user: nil, words), paidBy: .program(service: request.service))
        }
        out.emit(.tellProgram(program, .refused(reason)))
    }

    // MARK: - Taps

    /// Takes a tap with its credential. If programs wait, their places are looked up again first: a program that has
    /// left the foreground is no longer where the user tapped.
    package mutating func tapped(_ tap: Tap, _ out: inout Output) {
        let seats = rendezvous.waiting.reduce(into: [ProgramID: Asker]()) { $0[$1] = waiting[$1]?.asker }
        guard out.policy.configuration.login.serve == .seat, !seats.isEmpty else { return take(tap, &out) }
        out.emit(.lookUp(taps.open(tap), .seats(seats)))
    }

    /// Withdraws the taps of a channel that has left. A tap that was delivered stays delivered.
    package mutating func withdraw(_ channel: ChannelID, _ out: inout Output) {
        withdraw({ $0.id.channel == channel }, &out)
    }

    /// Withdraws the device's taps, on all its channels.
    package mutating func withdraw(of device: DeviceID, as code: ResultCode = .cancelled, _ out: inout Output) {
        withdraw({ $0.device == device }, as: code, &out)
    }

    /// Withdraws the taps of all of the user's devices.
    package mutating func withdraw(ofUser user: [UInt8], _ out: inout Output) {
        withdraw({ $0.user == user }, &out)
    }

    private mutating func withdraw(_ isMeant: (Tap) -> Bool, as code: ResultCode = .cancelled, _ out: inout Output) {
        for tap in taps.all where isMeant(tap) { out.answer(tap.id, code) }
        taps.drop(where: isMeant)
        for tap in rendezvous.heldTaps(where: isMeant) {
            perform(rendezvous.handle(.tapWithdrawn(tap, as: code), now: out.time), &out)
        }
    }

    package mutating func barred(_ devices: [DeviceID], _ out: inout Output) {
        taps.drop { devices.contains($0.device) }
        for device in devices { perform(rendezvous.handle(.deviceRevoked(device), now: out.time), &out) }
    }

    /// Lets a greeter log `user` in. Returns false if the tap is gone, or claimed by another greeter.
    package mutating func claim(_ user: [UInt8], _ out: inout Output) -> Bool {
        rendezvous.claimTap(of: user, now: out.time)
    }

    private mutating func take(_ tap: Tap, _ out: inout Output) {
        guard !isStopping else { return out.answer(tap.id, .boxFault) }
        perform(rendezvous.handle(.tap(tap), now: out.time), &out)
    }

    /// Refuses waiting programs that have left their place. Returns the users that they asked for.
    private mutating func dismissMisplaced(_ seats: [ProgramID: SeatFacts], _ out: inout Output) -> [[UInt8]?] {
        var users: [[UInt8]?] = []
        for program in rendezvous.waiting {
            guard let asker = waiting[program]?.asker, let facts = seats[program],
                let reason = refusal(of: facts, out.policy)
            else { continue }
            out.log(
                .notice, "process \(asker.caller.pid) stops waiting for a tap: \(reason)",
                .promptRefused(user: nil, reason))
            users.append(asker.user)
            left(program, &out)
            out.emit(.tellProgram(program, .refused(.notAtSeat)))
        }
        return users
    }

    private func refusal(of facts: SeatFacts, _ policy: Policy) -> String? {
        let login = policy.configuration.login
        // A trial (`serve` is `own`) serves its own user's programs anywhere. ServicePolicy has checked their owner.
        return login.serve == .seat ? facts.refusal(serialConsoles: login.serialConsoles) : nil
    }

    // MARK: - Answers, time and actions

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        if let arrival = arrivals.close(id) { return arrived(arrival, answer, &out) }
        guard let tap = taps.close(id) else { return }
        // Programs that have left their place, or whose place is unknown, are dismissed before the tap is matched.
        guard case .seats(let seats) = answer else { return out.answer(tap.id, .boxFault) }
        let dismissed = dismissMisplaced(seats, &out)
        take(tap, &out)
        for user in dismissed { perform(rendezvous.handle(.programRefused(user: user), now: out.time), &out) }
    }

    package mutating func timeHasCome(_ out: inout Output) {
        perform(rendezvous.handle(.timer, now: out.time), &out)
    }

    package mutating func policyChanged(_ out: inout Output) {
        rendezvous.holdTime = .seconds(out.policy.configuration.login.holdSeconds)
    }

    package mutating func stop(_ out: inout Output) {
        isStopping = true
        perform(rendezvous.stop(), &out)
        for tap in taps.all { out.answer(tap.id, .boxFault) }
        taps.drop { _ in true }
        for arrival in arrivals.all { out.emit(.tellProgram(arrival.program, .refused(.agentFault))) }
        arrivals.drop { _ in true }
    }

    private mutating func perform(_ actions: [LoginRendezvous.Action], _ out: inout Output) {
        for action in actions {
            switch action {
            case .tellWaiting(let program): out.emit(.tellProgram(program, .waiting))
            case .refuse(let program, let reason):
                waiting[program] = nil
                out.emit(.tellProgram(program, .refused(reason)))
            case .deliver(let program, let tap):
                guard let applicant = waiting.removeValue(forKey: program) else { continue }
                out.tell(.granted(applicant, tap, elevation: nil))
            case .tellPhone(let tap, let progress): out.emit(.tellPhone(tap.channel, .progress(tap.request, progress)))
            case .answerPhone(let tap, let code): out.answer(tap, code)
            }
        }
    }
}
