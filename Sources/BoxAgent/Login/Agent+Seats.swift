import AgentCore
import AgentProtocol
import Sessions

/// A login's credential goes to a program at a seat: at the moment at which it asks, and at that of the tap.
extension Agent {
    /// Why the program is not served; nil when it may wait, and is looked at again when a tap comes.
    func seatRefusal(of request: PAMAuthentication, peer: Caller) async -> (asker: Asker, reason: String?) {
        let isBare = KernelFacts().process(peer.pid)?.terminal == SeatFacts.Terminal.none
        // A terminal says it all; only who has none needs logind.
        if isBare { await logind.lookAtScreens() }
        let asker = Asker(
            caller: peer, user: request.user, terminal: request.terminal ?? [],
            session: isBare ? await logind.ownSession(ofProcess: peer.pid)?.id : nil)
        return (asker, refusal(of: asker))
    }

    /// Whoever has left the foreground since they asked is not at the place of the tap that comes now. Nothing is waited
    /// for: what the tap is, and whose, must not change meanwhile.
    func dismissMisplaced() -> [any LoginProgram] {
        rendezvous.waiting.compactMap { id in
            guard let asker = askers[id], let reason = refusal(of: asker) else { return nil }
            log.notice("process \(asker.caller.pid) waits no longer for a tap: \(reason)", .loginRefused(reason))
            _ = rendezvous.handle(.programLeft(id), now: loop.now())
            return programs.removeValue(forKey: id)
        }
    }

    private func refusal(of asker: Asker) -> String? {
        // A trial serves its own user's programs, wherever they are; ServicePolicy has looked at whose they are.
        guard configuration.login.serve == .seat else { return nil }
        return facts(of: asker).refusal(serialConsoles: configuration.login.serialConsoles)
    }

    private func facts(of asker: Asker) -> SeatFacts {
        let kernel = KernelFacts()
        // SAFETY: logind's actor runs on the same loop as this one, which is what is asserted.
        let (sessions, absence) = logind.assumeIsolated { ($0.sessions, $0.absence) }
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
