import AgentCore
import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// A connection of `boxagent` or a greeter.
struct WorldCommand {
    enum Use {
        case idle
        case waiting
        case revoking(DeviceID)
        case greeting, testing, enrolling
    }

    let caller: Caller
    var use = Use.idle
}

extension World {
    mutating func commandStep() {
        let id = commands.keys.sorted().randomElement(using: &random)
        guard let id, let command = commands[id], !chance(25) else { return commandComes() }
        if chance(12) { return commandLeaves(id) }
        guard case .idle = command.use else { return }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: greet(id)
        case 1:
            commands[id]?.use = .testing
            feed(.control(id, .asks(.testLogin(user: nil, waitSeconds: 20), command.caller)))
        case 2:
            commands[id]?.use = .enrolling
            feed(
                .control(
                    id,
                    .asks(
                        .enrol(user: Array("alice".utf8), label: "", credential: .phoneHeld, confirmed: true),
                        command.caller)
                ))
        case 3, 4, 5: act(id, command)
        case 6: revoke(id, command)
        case 7: wipe(id, command)
        case 8:
            commands[id]?.use = .waiting
            feed(.control(id, .asks(.sessions, command.caller)))
        default: break
        }
    }

    private mutating func commandComes() {
        guard commands.count < 6 else { return }
        commands[ControlID(number: number())] = WorldCommand(caller: Caller(uid: 0, pid: 77, daemonUID: 900))
    }

    mutating func commandLeaves(_ id: ControlID) {
        commands[id] = nil
        feed(.control(id, .left))
    }

    private mutating func greet(_ id: ControlID) {
        guard let caller = commands[id]?.caller else { return }
        commands[id]?.use = .greeting
        feed(.control(id, .asks(.greet(terminal: Array("tty1".utf8)), caller)))
    }

    private mutating func act(_ id: ControlID, _ command: WorldCommand) {
        commands[id]?.use = .waiting
        let action = [SessionAction.lock, .unlock, .logout].randomElement(using: &random) ?? .lock
        feed(.control(id, .asks(.session(action, .all), command.caller)))
    }

    /// One in a hundred: there are six phones, and a run without any tells little.
    private mutating func revoke(_ id: ControlID, _ command: WorldCommand) {
        guard chance(10), let phone = phones.randomElement(using: &random),
            let record = vault.devices[phone.id]?.record
        else { return }
        commands[id]?.use = .revoking(phone.id)
        if record.state == .active { judge.barred.insert(phone.id) }
        feed(.control(id, .revokes([record], all: false, named: Array("it".utf8), command.caller)))
    }

    private mutating func wipe(_ id: ControlID, _ command: WorldCommand) {
        guard let phone = phones.randomElement(using: &random), let record = vault.devices[phone.id]?.record else {
            return
        }
        commands[id]?.use = .waiting
        feed(.control(id, .wipes([record], .device(Array("it".utf8)), command.caller)))
    }

    mutating func told(_ id: ControlID, _ reply: ControlReply) {
        // The shell drops what a connection that left is told: orders outlive whoever gave them.
        guard let command = commands[id] else { return }
        switch (reply, command.use) {
        case (.done, .revoking(let device)):
            if vault.devices[device]?.record.state != .revoked {
                judge.fail("a revocation is called done before it is written down")
            }
            judge.revoked.insert(device)
            judge.sights.note(.revocations)
            commands[id]?.use = .idle
        case (.done, _), (.failure, _): commands[id]?.use = .idle
        case (.greeter, _): judge.sights.note(.tapsClaimed)
        default: break
        }
    }
}
