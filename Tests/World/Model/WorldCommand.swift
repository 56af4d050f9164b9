import AgentCore
import ControlProtocol
import Names
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

/// A connection of `boxagent` or a greeter.
struct WorldCommand {
    enum Use: Equatable {
        case idle
        case waiting
        case revoking(DeviceID)
        case greeting, testing, enrolling
    }

    /// An enrolment code on the terminal, which everyone in the room can see.
    struct Code {
        let number: UInt64
        let user: String
        let id: [UInt8]
        let psk: [UInt8]
        let uri: [UInt8]
    }

    let caller: Caller
    var use = Use.idle
    var code: Code?
    /// The six digits of an enrolment, to compare with those on a phone.
    var digits: String?
    /// True if the administrator does not want to compare digits.
    var isConfirmed = false
}

extension World {
    mutating func commandStep() {
        let id = commands.keys.sorted().randomElement(using: &random)
        guard let id, let command = commands[id], !chance(25) else { return commandComes() }
        if chance(12) { return commandLeaves(id) }
        if case .enrolling = command.use { return compare(id, command) }
        guard case .idle = command.use else { return }
        switch Int.random(in: 0..<14, using: &random) {
        case 0: greet(id)
        case 1:
            commands[id]?.use = .testing
            feed(.control(id, .asks(.testLogin(user: nil, waitSeconds: 20), command.caller)))
        case 2: enrol(id, command)
        case 3, 4, 5: act(id, command)
        case 6: revoke(id, command)
        case 7: wipe(id, command)
        case 8:
            commands[id]?.use = .waiting
            feed(.control(id, .asks(.sessions, command.caller)))
        case 12, 13: enrol(id, command)
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

    // MARK: - Enrolment

    private mutating func enrol(_ id: ControlID, _ command: WorldCommand) {
        let new = phones.filter { !$0.isEnrolled && $0.errand == nil }
        guard let phone = new.randomElement(using: &random) ?? (chance(10) ? phones.first : nil) else { return }
        commands[id]?.use = .enrolling
        let isConfirmed = chance(25)
        commands[id]?.isConfirmed = isConfirmed
        let request = ControlRequest.enrol(
            EnrolmentWish(
                user: Array(phone.user.utf8), credential: phone.isWeb || chance(50) ? .boxHeld : .phoneHeld,
                isConfirmed: isConfirmed, isWeb: phone.isWeb))
        feed(.control(id, .asks(request, command.caller)))
    }

    /// Makes a code for this user, with the text that the terminal shows.
    mutating func newCode(_ user: [UInt8]) -> Answer {
        let (id, psk) = (ModelPhoneVault.bytes(8, &random), ModelPhoneVault.bytes(32, &random))
        let held = HeldSecret(SecretBytes(copying: psk))
        let uri = try? EnrolmentURI(
            authorityKey: keys.authorityPublicKey, boxKey: keys.publicKey, codeID: id,
            psk: SecretBytes(copying: psk), boxID: keys.boxID, user: user)
        guard let uri else { return .code(id: id, secret: held, uri: nil) }
        let text = HeldSecret(uri.format())
        codes.append(
            WorldCommand.Code(
                number: number(), user: String(decoding: user, as: UTF8.self), id: id, psk: psk, uri: text.text))
        if codes.count > 8 { codes.removeFirst() }
        return .code(id: id, secret: held, uri: text)
    }

    mutating func shown(_ id: ControlID, _ uri: HeldSecret) {
        judge.sights.note(.enrolments)
        commands[id]?.code = codes.first { $0.uri == uri.text }
    }

    /// Compares the digits with those on a phone nearby. The administrator accepts only equal digits.
    private mutating func compare(_ id: ControlID, _ command: WorldCommand) {
        guard let digits = command.digits else { return }
        commands[id]?.digits = nil
        let phone = phones.first { $0.digits == digits }
        let isAccepted = phone != nil && chance(90)
        judge.compared = isAccepted ? phone?.vault.row?.publicKey : nil
        feed(.control(id, .asks(.confirmEnrolment(digits: digits, accept: isAccepted), command.caller)))
    }

    /// Checks that a device is stored only after its digits were compared, if the administrator wants a comparison.
    mutating func enrols(_ command: VaultCommand) {
        guard case .enrol(let key, _, _, _, _, _, _) = command else { return }
        let isCompared = commands.values.allSatisfy { $0.use != .enrolling || !$0.isConfirmed }
        if isCompared, judge.compared != key { judge.fail("a phone is enrolled whose digits nobody compared") }
        judge.compared = nil
    }

    // MARK: - Orders

    private mutating func act(_ id: ControlID, _ command: WorldCommand) {
        commands[id]?.use = .waiting
        let action = [SessionAction.lock, .unlock, .logout].randomElement(using: &random) ?? .lock
        feed(.control(id, .asks(.session(action, .all), command.caller)))
    }

    private var devices: [DeviceRecord] {
        vault.devices.values.map(\.record).sorted { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) }
    }

    /// Revokes rarely, because there are few phones. A run without any revocation would show little.
    private mutating func revoke(_ id: ControlID, _ command: WorldCommand) {
        let watching = phones.filter { $0.errand?.purpose == .watch }.compactMap(\.device)
        let connected = devices.filter { watching.contains($0.id) }
        let some = chance(70) ? connected : devices
        guard chance(20), let record = some.randomElement(using: &random) else { return }
        commands[id]?.use = .revoking(record.id)
        if record.state == .active { judge.barred.insert(record.id) }
        feed(.control(id, .revokes([record], all: false, named: Array("it".utf8), command.caller)))
    }

    private mutating func wipe(_ id: ControlID, _ command: WorldCommand) {
        guard chance(20), let record = devices.randomElement(using: &random) else { return }
        commands[id]?.use = .waiting
        feed(.control(id, .wipes([record], .device(Array("it".utf8)), command.caller)))
    }

    mutating func told(_ id: ControlID, _ reply: ControlReply) {
        // The shell drops replies to a connection that has left, because orders outlive their connection.
        guard let command = commands[id] else { return }
        switch (reply, command.use) {
        case (.done, .revoking(let device)):
            if vault.devices[device]?.record.state != .revoked {
                judge.fail("a revocation is called done before it is written down")
            }
            judge.revoked.insert(device)
            judge.sights.note(.revocations)
            commands[id]?.use = .idle
        case (.done, _), (.failure, _):
            commands[id]?.use = .idle
            commands[id]?.code = nil
            commands[id]?.digits = nil
        case (.enrolmentDigits(let digits, _), _): commands[id]?.digits = digits
        case (.greeter, _): judge.sights.note(.tapsClaimed)
        default: break
        }
    }
}
