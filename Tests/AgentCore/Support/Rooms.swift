import AgentConfiguration
import ControlProtocol
import PAMProtocol
import Names
import PhoneMessages
import Secrets
import VaultPort

@testable import AgentCore

/// The output of a component for one event.
struct Said {
    var effects: [Effect]
    var facts: [Fact]

    /// The operations in the order in which they were requested.
    var operations: [OperationID] {
        effects.compactMap { effect in
            switch effect {
            case .vault(let id, _), .lookUp(let id, _), .act(let id, _, _), .handOver(let id, _, _, _): id
            default: nil
            }
        }
    }

    /// The operation that stores the first audit entry.
    var entry: OperationID? {
        effects.lazy.compactMap { if case .vault(let id, .append) = $0 { id } else { nil } }.first
    }

    /// The messages to phones, each with its channel.
    var toPhones: [(channel: ChannelID, message: BoxMessage)] {
        effects.compactMap { if case .tellPhone(let channel, let message) = $0 { (channel, message) } else { nil } }
    }

    /// The codes of results, in order.
    var results: [ResultCode] {
        toPhones.compactMap { if case .result(_, let code, _) = $0.message { code } else { nil } }
    }

    var toPrograms: [ProgramMessage] {
        effects.compactMap { if case .tellProgram(_, let message) = $0 { message } else { nil } }
    }

    var toControls: [ControlReply] {
        effects.compactMap { if case .tellControl(_, let reply) = $0 { reply } else { nil } }
    }

    var finished: [ChannelEnd] {
        effects.compactMap { if case .finish(_, let end, _) = $0 { end } else { nil } }
    }

    var commands: [VaultCommand] {
        effects.compactMap { if case .vault(_, let command) = $0 { command } else { nil } }
    }
}

/// Virtual time and a policy for one component.
struct Bench {
    var now = Moment(sinceBoot: .seconds(1_000))
    var policy: Policy

    init(_ change: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration()
        change(&configuration)
        policy = Policy(configuration, boxID: Array("1128".utf8))
    }

    mutating func pass(_ time: Duration) {
        now.sinceBoot += time
    }

    func run(_ body: (inout Output) -> Void) -> Said {
        var out = Output(now: now, policy: policy)
        body(&out)
        var facts: [Fact] = []
        while let fact = out.nextFact() { facts.append(fact) }
        return Said(effects: out.inOrder(), facts: facts)
    }
}

enum Sample {
    static func channel(_ number: UInt64 = 1) -> ChannelID { ChannelID(number: number) }
    static func program(_ number: UInt64 = 1) -> ProgramID { ProgramID(number: number) }
    static func control(_ number: UInt64 = 1) -> ControlID { ControlID(number: number) }
    static func secret(_ text: String = "correct horse") -> HeldSecret {
        HeldSecret(SecretBytes(copying: Array(text.utf8)))
    }
    static let root = Caller(uid: 0, pid: 77, daemonUID: 900)
    static let person = Caller(uid: 1_000, pid: 78, daemonUID: 900)

    static func record(
        _ number: UInt8 = 1, user: String = "alice", mode: CredentialMode = .phoneHeld,
        state: DeviceRecord.State = .active
    ) -> DeviceRecord {
        DeviceRecord(
            id: testDevice(number), publicKey: [UInt8](repeating: number, count: 32), user: Array(user.utf8), label: [],
            mode: mode, state: state, enrolledAt: 0, lastUsedAt: nil)
    }

    static func sheet(_ number: UInt8 = 1, mode: CredentialMode = .phoneHeld) -> DeviceSheet {
        DeviceSheet(record: record(number, mode: mode))
    }

    static func request(
        _ request: PhoneRequest, _ number: UInt32 = 2, on channel: ChannelID = channel(),
        of device: DeviceRecord = record()
    ) -> DeviceRequest {
        DeviceRequest(channel: channel, device: device, id: testRequest(number), request: request)
    }

    static func tap(_ number: UInt32 = 2, device: DeviceRecord = record(), on channel: ChannelID = channel()) -> Tap {
        Tap(
            id: TapID(channel: channel, request: testRequest(number)), device: device.id, user: device.user,
            credential: secret(), tappedAt: .seconds(1_000))
    }

    static func asks(_ user: String? = nil, service: String = "login", wait: UInt64 = 30) -> PAMAuthentication {
        PAMAuthentication(
            service: Array(service.utf8), user: user.map { Array($0.utf8) }, terminal: Array("/dev/tty1".utf8),
            remoteHost: nil, waitSeconds: wait)
    }

    static let atSeat = SeatFacts(process: SeatFacts.Process(terminal: .virtual(1), parent: 1), foreground: 1)
    static let behind = SeatFacts(process: SeatFacts.Process(terminal: .virtual(2), parent: 1), foreground: 1)
}
