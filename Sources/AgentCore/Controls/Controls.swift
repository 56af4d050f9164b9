import ControlProtocol
import AuditLog
import Names
import TextOutput
import VaultPort

/// The connections of `boxagent` and greeters: what each one is doing, and the orders of administrators.
///
///     idle ──► enrolling ──► idle        revoke: barred ──► stored ──► told
///          ──► greeting                  wipe: withdrawn ──► stored ──► told
package struct Controls: Sendable {
    private struct Greeting: Sendable {
        let control: ControlID
        /// The terminal that the greeter claims. Only for the log.
        let terminal: [UInt8]
    }

    private struct Revocation: Sendable {
        let control: ControlID
        let devices: [DeviceRecord]
        let silenced: [ChannelID]
    }

    private struct Wiping: Sendable {
        let control: ControlID
        let devices: [DeviceID]
        let everything: Bool
    }

    private enum Order: Sendable {
        case greet(Greeting)
        case revoke(Revocation)
        case wipe(Wiping)
    }

    private var enrolling: Set<ControlID> = []
    private var greeting: [ControlID: [UInt8]] = [:]
    private var orders = Pending<Order>(.controls)

    package init() {}

    package var greeters: [ControlID] { greeting.keys.sorted() }
    package func isEnrolling(_ control: ControlID) -> Bool { enrolling.contains(control) }

    // MARK: - States of connections

    /// Returns whether the enrolment may begin. If it may not, the command gets the refusal.
    package mutating func beginsEnrolment(_ control: ControlID, _ out: inout Output) -> Bool {
        guard enrolling.insert(control).inserted else {
            out.emit(.tellControl(control, Refusals.oneAtATime))
            return false
        }
        return true
    }

    package mutating func enrolmentOver(_ control: ControlID) {
        enrolling.remove(control)
    }

    package mutating func greets(_ control: ControlID, on terminal: [UInt8], _ caller: Caller, _ out: inout Output) {
        guard greeting[control] == nil else { return out.emit(.tellControl(control, Refusals.oneAtATime)) }
        if caller.isAdministrator {
            greeting[control] = terminal
        } else {
            let id = orders.open(.greet(Greeting(control: control, terminal: terminal)))
            out.emit(.lookUp(id, .person(caller)))
        }
    }

    /// The terminal of the greeter, for the log, or nil if the connection is not a greeter.
    package func terminal(of control: ControlID) -> [UInt8]? { greeting[control] }

    package mutating func left(_ control: ControlID) {
        enrolling.remove(control)
        greeting[control] = nil
        // A revocation or wipe continues without the connection that ordered it.
        orders.drop { order in
            if case .greet(let greeting) = order { greeting.control == control } else { false }
        }
    }

    // MARK: - Orders

    /// Returns the devices to revoke. If none matches, or several do without `all`, tells the command and returns nil.
    package func revocable(
        _ devices: [DeviceRecord], all: Bool, named name: [UInt8], _ control: ControlID, _ out: inout Output
    ) -> [DeviceRecord]? {
        let active = devices.filter { $0.state != .revoked }
        guard !active.isEmpty else {
            fail(
                control, .notFound, "no enrolled device matches '\(LogText.text(name))'",
                "list the devices with 'boxagent devices'", &out)
            return nil
        }
        guard all || active.count == 1 else {
            fail(
                control, .invalid, "\(active.count) devices match '\(LogText.text(name))'",
                "give more of the id, as 'boxagent devices' shows it", &out)
            return nil
        }
        return active
    }

    /// Stores the revocation of devices that are already barred. Phones are told only after the revocation is stored,
    /// because they destroy their keys on `revoked`.
    package mutating func revoke(
        _ devices: [DeviceRecord], silenced: [ChannelID], _ control: ControlID, _ caller: Caller, _ out: inout Output
    ) {
        let order = Order.revoke(Revocation(control: control, devices: devices, silenced: silenced))
        out.emit(.lookUp(orders.open(order), .person(caller)))
    }

    package mutating func wipe(
        _ devices: [DeviceRecord], _ selection: WipeSelection, _ control: ControlID, _ caller: Caller,
        _ out: inout Output
    ) {
        if case .device(let name) = selection, devices.count != 1 {
            return fail(
                control, .notFound, "'\(LogText.text(name))' matches \(devices.count) devices; it must match one",
                "list the devices with 'boxagent devices'", &out)
        }
        let wiping = Wiping(control: control, devices: devices.map(\.id), everything: selection == .all)
        out.tell(.wipeBegins(wiping.devices))
        out.emit(.lookUp(orders.open(.wipe(wiping)), .person(caller)))
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let order = orders.close(id) else { return }
        switch (order, answer) {
        case (.greet(let wish), .person(_, let name)): decide(wish, named: name, &out)
        case (.greet(let wish), _): out.emit(.tellControl(wish.control, Refusals.notGreeter))
        case (.revoke(let revocation), .person(let actor, _)):
            out.emit(.vault(orders.open(order), .revoke(revocation.devices.map(\.id), by: actor)))
        case (.revoke(let revocation), .vault(.revoked(let done))): revoked(revocation, done.unfinished, &out)
        case (.revoke(let revocation), _): notRevoked(revocation, answer, &out)
        case (.wipe(let wiping), .person(let actor, _)):
            let command = VaultCommand.wipe(wiping.devices, by: actor, everything: wiping.everything)
            out.emit(.vault(orders.open(order), command))
        case (.wipe(let wiping), .vault(.wiped(let devices, let setAsideDestroyed))):
            for device in devices { out.tell(.credentialKnown(device, nil)) }
            var text = "\(Plural.text(devices.count, "stored credential")) destroyed"
            if setAsideDestroyed { text += ", and the damaged databases that were kept" }
            out.tell(.wipeOver(wiping.devices))
            out.emit(.tellControl(wiping.control, .done(text: text)))
        case (.wipe(let wiping), _):
            out.tell(.wipeOver(wiping.devices))
            fail(wiping.control, .fault, answer.problem, "run 'boxagent doctor'", &out)
        }
    }

    private mutating func decide(_ wish: Greeting, named name: [UInt8]?, _ out: inout Output) {
        let isNamed = name.map { name in
            out.policy.configuration.login.greeterUsers.contains { Array($0.utf8) == name }
        }
        guard isNamed == true else { return out.emit(.tellControl(wish.control, Refusals.notGreeter)) }
        greeting[wish.control] = wish.terminal
    }

    private func revoked(_ revocation: Revocation, _ unfinished: VaultError?, _ out: inout Output) {
        if let unfinished {
            out.log(.warning, "the keys are destroyed, but their rows stay until the next start: \(unfinished)")
        }
        out.tell(.revoked(revocation.devices.map(\.id), revocation.silenced, isStored: true))
        for record in revocation.devices {
            out.log(.notice, "device \(record.id) of \(LogText.text(record.user)) revoked")
        }
        var text = "\(Plural.text(revocation.devices.count, "phone")) revoked"
        if revocation.devices.contains(where: \.isOfSite) {
            text += "; other boxes of the site still admit it ('boxsite phone revoke' covers all of them)"
        }
        out.emit(.tellControl(revocation.control, .done(text: text)))
    }

    private func notRevoked(_ revocation: Revocation, _ answer: Answer, _ out: inout Output) {
        // Do not send `revoked`: the phone would destroy its keys, but count as enrolled again after a restart.
        out.tell(.revoked(revocation.devices.map(\.id), revocation.silenced, isStored: false))
        out.log(.error, "a revocation could not be stored: \(answer.problem)")
        fail(
            revocation.control, .fault, "now refused, but not stored: \(answer.problem)",
            "fix the problem (see 'boxagent doctor') and revoke again before boxagentd restarts", &out)
    }

    private func fail(
        _ control: ControlID, _ kind: FailureKind, _ what: String, _ cure: String, _ out: inout Output
    ) {
        out.emit(.tellControl(control, Refusals.failure(kind, what, cure)))
    }
}
