import AgentCore
import PAMProtocol
import Sessions

/// The places of programs, from kernel and logind.
struct Seats: Sendable {
    let logind: Logind

    /// Looks up the place of a program that asks now.
    func look(_ request: PAMAuthentication, _ caller: Caller) async -> Answer {
        var session: String?
        var problem: String?
        // Asks logind only about a program without a terminal.
        if KernelFacts().process(caller.pid)?.terminal == SeatFacts.Terminal.none {
            await logind.lookAtScreens()
            do {
                session = try await logind.ownSession(ofProcess: caller.pid)?.id
            } catch {
                problem = "systemd-logind does not say which session it is in"
            }
        }
        let asker = Asker(caller: caller, user: request.user, terminal: request.terminal ?? [], session: session)
        var facts = facts(of: asker)
        facts.logindProblem = facts.logindProblem ?? problem
        return .seat(session: session, facts)
    }

    /// Returns the facts without waiting. Must be called on the loop.
    func facts(of asker: Asker) -> SeatFacts {
        // SAFETY: logind's actor runs on the caller's loop, as this call asserts.
        let (sessions, absence) = logind.assumeIsolated { ($0.sessions, $0.absence) }
        let kernel = KernelFacts()
        var facts = SeatFacts(
            process: kernel.process(asker.caller.pid), foreground: kernel.foregroundTerminal(), session: asker.session,
            logindProblem: absence, namedTerminal: asker.terminal, user: asker.user)
        guard facts.process?.terminal == SeatFacts.Terminal.none else { return facts }
        facts.screens = sessions.filter(\.drawsOnScreen).map { session in
            SeatFacts.Screen(
                sessionClass: session.sessionClass, user: Array(session.user.utf8), display: session.display,
                virtualTerminal: session.virtualTerminal, seat: session.seat, isActive: session.isActive,
                isRemote: session.isRemote, isClosing: session.isClosing,
                opener: kernel.process(session.leader)?.parent)
        }
        return facts
    }
}
