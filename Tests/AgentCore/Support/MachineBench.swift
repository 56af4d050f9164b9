import PhoneMessages
import VaultPort

@testable import AgentCore

/// The whole machine in virtual time, with phones and a program around it.
struct MachineBench {
    /// The vault's answer to a correct PIN.
    static let rightPIN = Answer.vault(
        .opened(.opened(Sample.secret()), CredentialState(attemptsLeft: 10, stale: false)))

    var now = Moment(sinceBoot: .seconds(1_000))
    var machine: AgentMachine

    init(_ bench: Bench = Bench()) {
        machine = AgentMachine(bench.policy, now: now)
    }

    /// True if the status reports a tap that waits for a program.
    var isTapHeld: Bool {
        machine.status(activity: true, upFor: .zero, now: now.sinceBoot).activity?.tapHeld ?? false
    }

    mutating func feed(_ event: Event) -> Said {
        Said(effects: machine.handle(event, at: now), facts: [])
    }

    /// Stores the audit entry of this output, and returns the output with the answers that waited for it.
    mutating func stored(_ said: Said) -> Said {
        guard let entry = said.entry else { return said }
        return Said(effects: said.effects + answer(entry, .vault(.done)).effects, facts: said.facts)
    }

    mutating func answer(_ id: OperationID, _ answer: Answer) -> Said { feed(.answered(id, answer)) }

    /// Connects a phone, which then says hello.
    mutating func connect(_ number: UInt64 = 1, _ sheet: DeviceSheet = Sample.sheet()) {
        let id = Sample.channel(number)
        _ = feed(.phone(id, .arrived(connection: "c\(number)")))
        _ = feed(.phone(id, .proved(sheet)))
        let capabilities: Capabilities = [.presence, .logoutWarnings, .sessionEnds, .elevation]
        let hello = PhoneRequest.hello(versions: [MessageLimits.protocolVersion], capabilities: capabilities)
        _ = feed(.phone(id, .asked(PhoneRequestMessage(id: testRequest(1), request: hello))))
    }

    mutating func ask(_ request: PhoneRequest, _ number: UInt32 = 2, on channel: UInt64 = 1) -> Said {
        feed(.phone(Sample.channel(channel), .asked(PhoneRequestMessage(id: testRequest(number), request: request))))
    }

    /// Starts a PIN try for a box-held credential and returns the vault's operations.
    mutating func tryPIN(_ number: UInt32 = 2, on channel: UInt64 = 1) -> [OperationID] {
        ask(.loginWithPIN(pin: Sample.secret("4711"), deviceSecret: Sample.secret()), number, on: channel).operations
    }

    /// Has a program of the service `login` ask at the seat.
    mutating func program(_ number: UInt64 = 1) -> Said {
        let asked = feed(.program(Sample.program(number), .asks(Sample.asks(), Sample.root)))
        return answer(asked.operations[0], .seat(session: nil, Sample.atSeat))
    }
}

extension Said {
    var handsOver: Bool {
        effects.contains { if case .handOver = $0 { true } else { false } }
    }

    /// The results that phones were told, as "channel.request code".
    var told: [String] {
        toPhones.compactMap { channel, message in
            if case .result(let request, let code, _) = message {
                "\(channel.number).\(request.rawValue) \(code)"
            } else {
                nil
            }
        }
    }
}
