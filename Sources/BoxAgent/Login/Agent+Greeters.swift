import AgentCore
import AgentProtocol

/// A screen at which people log in, which shows what the agent does.
protocol Greeter: Sendable {
    func show(_ state: GreeterState) async
}

/// A greeter's connection.
struct GreeterID: Hashable, Sendable {
    let number: UInt64
}

/// A greeter and what it was shown last.
struct FollowingGreeter: Sendable {
    let greeter: any Greeter
    /// As it said; for the log only.
    let terminal: [UInt8]
    var shown: GreeterState?
    /// One message at a time: what changes meanwhile is told in the next, as the newest state only.
    var isTelling = false
}

/// Greeters follow box ID, radio and taps (docs/decisions/015-login-rendezvous.md). They get no credential: the login
/// program that one starts does, by its PAM module, as any other.
extension Agent {
    func mayGreet(_ caller: Caller) async -> Bool {
        if caller.isAdministrator { return true }
        return ControlPolicy.allowsGreeter(named: await accounts.name(of: caller.uid), caller, configuration.login)
    }

    func greeterCame(_ greeter: any Greeter, on terminal: [UInt8]) -> GreeterID {
        let id = GreeterID(number: number())
        greeters[id] = FollowingGreeter(greeter: greeter, terminal: terminal)
        tellGreeters()
        return id
    }

    func greeterLeft(_ id: GreeterID) {
        greeters[id] = nil
        tellGreeters()
    }

    /// The greeter starts a login of `user`; false when the tap is gone or another greeter's.
    func claimTap(of user: [UInt8], by id: GreeterID) -> Bool {
        guard let greeter = greeters[id], rendezvous.claimTap(of: user, now: loop.now()) else { return false }
        log.notice("greeter on \(LogText.text(greeter.terminal)) logs in \(LogText.text(user))")
        tellGreeters()
        return true
    }

    /// Tells every greeter what it does not know yet.
    func tellGreeters() {
        guard !greeters.isEmpty, !stopping else { return }
        let state = greeterState()
        for (id, following) in greeters where !following.isTelling && following.shown != state {
            greeters[id]?.isTelling = true
            greeters[id]?.shown = state
            loop.spawn {
                await following.greeter.show(state)
                await self.greeterTold(id)
            }
        }
    }

    private func greeterTold(_ id: GreeterID) {
        greeters[id]?.isTelling = false
        tellGreeters()
    }

    private func greeterState() -> GreeterState {
        GreeterState(
            boxID: keys.boxID, radio: Array(configuration.radio.name.utf8), radioWorks: radioState.isWorking,
            radioState: Array(radioState.description.utf8), greeters: UInt64(greeters.count),
            tapUser: rendezvous.unclaimedUser)
    }
}
