import PAMProtocol
import AuditLog
import Names
import PhoneMessages
import VaultPort

/// The credentials that programs hold, and their outcomes.
///
///     granted ──► handed over ──► stages of LoginVerdict ──► let in ──► in a session ──► over
///                     └─ not taken         └─ refused, unknown ─────────────────────────┘
package struct Deliveries: Sendable {
    private var deliveries: [ProgramID: Delivery] = [:]
    private var handOvers = Pending<ProgramID>(.deliveries)

    package init() {}

    /// Returns whether a program holds a login credential of the device and has no verdict yet.
    package func isUndecided(of device: DeviceID) -> Bool {
        deliveries.values.contains {
            $0.device == device && $0.elevation == nil && $0.verdict.deadline != nil
        }
    }

    package func user(of program: ProgramID) -> [UInt8]? { deliveries[program]?.user }
    package func device(of program: ProgramID) -> DeviceID? { deliveries[program]?.device }

    package var deadline: Duration? { deliveries.values.compactMap(\.verdict.deadline).min() }

    package mutating func granted(
        _ applicant: Applicant, _ tap: Tap, _ elevation: ElevationRendezvous.Ask?, _ out: inout Output
    ) {
        let limit: Duration = .seconds(out.policy.configuration.login.verdictSeconds)
        deliveries[applicant.program] = Delivery(
            tap, to: applicant, elevation: elevation,
            verdict: LoginVerdict(
                Self.purpose(of: applicant.actor, elevation), deliveredAt: out.time, silenceLimit: limit))
        let id = handOvers.open(applicant.program)
        out.emit(.handOver(id, applicant.program, user: tap.user, tap.credential))
    }

    private static func purpose(of actor: AuditActor, _ elevation: ElevationRendezvous.Ask?) -> LoginVerdict.Purpose {
        guard elevation != nil else { return .login }
        return actor.kind == .program && actor.name == Array("polkit-1".utf8) ? .authorization : .elevation
    }

    /// Handles the result of a handover. The program may be stopped or gone, because the agent does not wait for it.
    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let program = handOvers.close(id) else { return }
        switch answer {
        case .handedOver(.taken): break
        case .handedOver(.tested): judge(.tested, program, &out)
        case .handedOver(.refused):
            if let delivery = deliveries.removeValue(forKey: program) { out.answer(delivery.tap, .notAllowed) }
            out.tell(.programGone(program))
        default: out.tell(.programGone(program))
        }
    }

    package mutating func says(_ program: ProgramID, _ event: PAMEvent, _ out: inout Output) {
        judge(.module(event), program, &out)
    }

    /// The program renewed credentials, and its user has no session that it could unlock.
    package mutating func unlocksNothing(_ program: ProgramID, _ out: inout Output) {
        judge(.nothingUnlocked, program, &out)
    }

    /// Answers the taps whose programs have not finished as unknown, because the agent stops watching them.
    package mutating func stop(_ out: inout Output) {
        let open = deliveries.filter { $0.value.verdict.deadline != nil }.keys
        for program in open.sorted(by: { $0.number < $1.number }) { judge(.agentStops, program, &out) }
    }

    package mutating func left(_ program: ProgramID, _ out: inout Output) {
        judge(.connectionLost, program, &out)
    }

    /// Handles logind's end of a session whose program has not closed it.
    package mutating func sessionRemoved(_ program: ProgramID, _ out: inout Output) {
        judge(.sessionRemoved, program, &out)
    }

    package mutating func timeHasCome(_ out: inout Output) {
        // A verdict has a later deadline or none after its timer, so this loop ends.
        while let program = firstDue(out.time) { judge(.timer, program, &out) }
    }

    private func firstDue(_ now: Duration) -> ProgramID? {
        var first: ProgramID?
        for (program, delivery) in deliveries where (delivery.verdict.deadline ?? .seconds(Int64.max)) <= now {
            if program.number < first?.number ?? .max { first = program }
        }
        return first
    }

    private mutating func judge(_ event: LoginVerdict.Event, _ program: ProgramID, _ out: inout Output) {
        guard var delivery = deliveries[program] else { return }
        let actions = delivery.verdict.handle(event, now: out.time)
        deliveries[program] = delivery
        for action in actions {
            switch action {
            case .progress(let progress):
                out.emit(.tellPhone(delivery.tap.channel, .progress(delivery.tap.request, progress)))
            case .answer(let code):
                out.answer(delivery.tap, code)
                if !actions.contains(.finished) { out.emit(.tellProgram(program, .judged)) }
                record(code, of: delivery, &out)
                out.tell(.judged(delivery, code))
            // Ignore the session of an elevation, such as su. It is inside the caller's session, which has its phone or
            // none.
            case .sessionOpened where delivery.elevation != nil: continue
            case .sessionLasts where delivery.elevation != nil: continue
            case .sessionOpened(let session, let terminal):
                let target = SessionTarget(user: delivery.user, logindSession: session, terminal: terminal)
                out.tell(
                    .sessionOpened(
                        program, target, by: delivery.device, process: delivery.applicant.process))
            case .sessionLasts:
                out.recordCounted(
                    .sessionOpened, user: delivery.user, device: delivery.device, by: delivery.applicant.actor)
                out.tell(.sessionLasts(program))
            case .sessionClosed(let said): out.tell(.programEndedSession(program, said: said))
            case .finished: deliveries[program] = nil
            }
        }
    }

    private func record(_ code: ResultCode, of delivery: Delivery, _ out: inout Output) {
        let actor = delivery.applicant.actor
        if let ask = delivery.elevation {
            let event: AuditEvent.Kind =
                switch Judgement(code) {
                case .correct, .tested: .elevationCorrect
                case .notCorrect: .elevationNotCorrect
                case .refused: .elevationRefused
                case .unknown: .elevationUnknown
                }
            out.recordCounted(
                event, user: delivery.user, device: delivery.device, by: actor,
                detail: "\(ask.place): \(CaseWords.text(of: code))")
        } else {
            // Do not count `boxagent test-login`, which is not a login.
            if actor.kind == .program { out.emit(.count(.loginJudged(code, after: out.time - delivery.tappedAt))) }
            let event: AuditEvent.Kind =
                switch Judgement(code) {
                case .correct: .loginCorrect
                case .tested: .loginTested
                case .notCorrect: .loginNotCorrect
                case .refused: .loginRefused
                case .unknown: .loginUnknown
                }
            out.recordCounted(
                event, user: delivery.user, device: delivery.device, by: actor,
                detail: CaseWords.text(of: code))
        }
        if code == .correct { out.tell(.used(delivery.device, user: delivery.user)) }
    }
}

/// The end of a delivery, as the audit log distinguishes it.
private enum Judgement {
    case correct
    case tested
    case notCorrect
    /// After the password was accepted.
    case refused
    case unknown

    init(_ code: ResultCode) {
        self =
            switch code {
            case .correct: .correct
            case .tested: .tested
            case .wrongCredentials: .notCorrect
            case .accountLocked, .accountExpired, .accountDenied, .passwordMustChange, .notLetIn, .sessionFailed:
                .refused
            default: .unknown
            }
    }
}
