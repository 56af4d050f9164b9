import AgentCore
import AgentProtocol
import AuditLog
import PhoneMessages
import Secrets
import Sessions
import Vault
import VaultPort

/// The login part of the agent: programs that ask, taps that answer, and what became of it.
extension Agent {
    /// A program asks for a credential; policy decides first.
    func programAsks(_ request: PAMAuthentication, from program: any LoginProgram, peer: Caller) async -> ProgramID? {
        let policy = ServicePolicy(configuration)
        if stopping {
            program.refuse(.agentFault)
            return nil
        }
        if let reason = policy.refusal(request, peer: peer) {
            let service = LogText.text(request.service)
            log.notice(
                "service \(service) of process \(peer.pid) gets no credential: \(reason)",
                .loginRefused("\(reason)"))
            program.refuse(reason)
            return nil
        }
        if policy.elevationServices.contains(request.service) {
            return await elevationAsked(request, from: program, peer: peer)
        }
        let (asker, misplaced) = await seatRefusal(of: request, peer: peer)
        if let misplaced {
            let service = LogText.text(request.service)
            log.notice(
                "service \(service) of process \(peer.pid) gets no credential: \(misplaced)",
                .loginRefused(misplaced))
            program.refuse(.notAtSeat)
            return nil
        }
        guard !stopping else {
            program.refuse(.agentFault)
            return nil
        }
        return wait(
            program, user: request.user, takeOnly: request.waitSeconds == 0, seconds: request.waitSeconds, asker: asker,
            actor: .program(service: request.service, terminal: request.terminal))
    }

    /// Puts a program that may wait into the rendezvous.
    func wait(
        _ program: any LoginProgram, user: [UInt8]?, takeOnly: Bool, seconds: UInt64, asker: Asker? = nil,
        actor: AuditActor? = nil
    ) -> ProgramID {
        let id = ProgramID(number: number())
        programs[id] = program
        askers[id] = asker
        programActors[id] = actor
        let now = loop.now()
        let until = now + .seconds(Int64(min(seconds, UInt64(configuration.login.longestWaitSeconds))))
        perform(rendezvous.handle(.programAsks(id, user: user, takeOnly: takeOnly, until: until), now: now))
        rearm()
        return id
    }

    func programEvent(_ event: PAMEvent, from id: ProgramID) async {
        await verdict(.module(event), for: id)
        rearm()
    }

    /// The program's socket closed, whatever it was doing.
    func programLeft(_ id: ProgramID) async {
        programs[id] = nil
        askers[id] = nil
        claims[id] = nil
        perform(rendezvous.handle(.programLeft(id), now: loop.now()))
        perform(elevations.handle(.programLeft(id), now: loop.now()))
        await verdict(.connectionLost, for: id)
        programActors[id] = nil
        rearm()
    }

    /// The person took the tap back.
    func cancelLogin(on channel: ChannelID) {
        guard let tap = rendezvous.heldTap(on: channel) else { return }
        perform(rendezvous.handle(.tapWithdrawn(tap), now: loop.now()))
        rearm()
    }

    /// The user's password was changed here: what the box holds no longer fits. Only those who could change it
    /// themselves may say so: a wrong word would cost the person a login, not more.
    func passwordChanged(of user: [UInt8], by caller: Caller) async -> Bool {
        guard caller.isAdministrator, UserRules.isUserName(user) else { return false }
        do {
            for device in try await vault.markStale(user: user) {
                await audit(.credentialStale, user: user, device: device, by: .agent)
                await tellState(device)
            }
            return true
        } catch {
            log.error("stored credentials could not be marked stale: \(error)")
            return false
        }
    }

    func tap(_ tap: Tap) {
        // Revoked while its PIN was tried.
        guard !barred.contains(tap.device) else { return }
        let dismissed = dismissMisplaced()
        perform(rendezvous.handle(.tap(tap), now: loop.now()))
        for program in dismissed { program.refuse(.notAtSeat) }
        rearm()
    }

    func perform(_ actions: [LoginRendezvous.Action]) {
        showTapSign()
        for action in actions {
            switch action {
            case .tellWaiting(let id): programs[id]?.tellWaiting()
            case .refuse(let id, let reason): programs.removeValue(forKey: id)?.refuse(reason)
            case .deliver(let id, let tap): deliver(tap, to: id)
            case .tellPhone(let tap, let progress): channels[tap.channel]?.tell(.progress(tap.request, progress))
            case .answerPhone(let tap, let code): answer(tap, code)
            }
        }
    }

    func verdict(_ event: LoginVerdict.Event, for id: ProgramID) async {
        guard var delivery = deliveries[id] else { return }
        let actions = delivery.verdict.handle(event, now: loop.now())
        deliveries[id] = delivery
        for action in actions {
            switch action {
            case .answer(let code):
                answer(delivery.tap, code)
                await record(code, of: delivery)
            case .accountProblem(let problem):
                tell(delivery.device, .accountProblem(problem))
            // su's session lives inside the one that it was called in, which has its phone already, or none.
            case .sessionOpened where delivery.elevation != nil: continue
            case .sessionOpened(let logindSession, let terminal):
                let target = SessionTarget(user: delivery.user, logindSession: logindSession, terminal: terminal)
                await sessionOpened(target, by: delivery.device, program: id, actor: delivery.applicant.actor)
            case .sessionClosed:
                await programEndedSession(id)
            case .finished:
                deliveries[id] = nil
                programs[id] = nil
            }
        }
    }

    func answer(_ tap: TapID, _ code: ResultCode) {
        channels[tap.channel]?.tell(.result(tap.request, code, ResultDetail()))
    }

    /// The program may be stopped, or gone: nobody waits until it has taken the credential.
    func deliver(_ tap: Tap, to id: ProgramID, elevation: ElevationRendezvous.Ask? = nil) {
        let applicant = Applicant(program: id, actor: programActors[id] ?? .agent, asker: askers[id])
        deliveries[id] = Delivery(
            tap, to: applicant, elevation: elevation,
            verdict: LoginVerdict(deliveredAt: loop.now(), silenceLimit: .seconds(configuration.login.verdictSeconds)))
        let program = programs[id]
        loop.spawn {
            switch await program?.deliver(user: tap.user, credential: tap.credential) ?? .notTaken {
            case .taken: break
            case .tested: await self.verdict(.tested, for: id)
            case .notTaken: await self.programLeft(id)
            }
        }
        rearm()
    }

    private func record(_ code: ResultCode, of delivery: Delivery) async {
        if let ask = delivery.elevation {
            let event: AuditEvent.Kind = code == .correct ? .elevationCorrect : .elevationNotCorrect
            await auditCounted(
                event, user: delivery.user, device: delivery.device, by: delivery.applicant.actor,
                detail: "\(ask.place): \(code)")
            if code != .correct {
                perform(elevations.handle(.wrong(user: delivery.user), now: loop.now()))
            }
        } else {
            // boxagent test-login logs nobody in.
            if delivery.applicant.actor.kind == .program {
                metrics.note(.loginJudged(code, after: loop.now() - delivery.tappedAt))
            }
            let event: AuditEvent.Kind =
                switch code {
                case .correct: .loginCorrect
                case .tested: .loginTested
                default: .loginNotCorrect
                }
            await auditCounted(
                event, user: delivery.user, device: delivery.device, by: delivery.applicant.actor, detail: "\(code)")
        }
        guard code == .correct, await mayWrite(for: .device(delivery.device), user: delivery.user) else { return }
        await store("the use of a device") { vault throws(VaultError) in try await vault.noteUse(of: delivery.device) }
    }
}
