import AgentConfiguration
import Names
import PhoneMessages
import VaultPort

@testable import AgentCore

/// The output of one step of Presences or Logouts, as text that a test compares. Effects come first, in the order in
/// which they are performed, and facts follow. Devices appear as the first byte of their id.
struct StepTextLogouts: Equatable, ExpressibleByArrayLiteral {
    var lines: [String]
    /// The operations that the output starts, in the order of `lines`.
    var operations: [OperationID] = []

    init(arrayLiteral elements: String...) {
        lines = elements
    }

    init(_ output: consuming Output) {
        var output = output
        lines = []
        var facts: [String] = []
        while let fact = output.nextFact() { facts.append(Self.text(fact)) }
        for effect in output.inOrder() {
            switch effect {
            case .vault(let id, let command):
                operations.append(id)
                lines.append(Self.text(command))
            case .lookUp(let id, .idleness(let sessions)):
                operations.append(id)
                lines.append("ask idleness of \(sessions.joined(separator: " "))")
            case .tellPhone(_, .result(let request, let code, _)): lines.append("answer \(request.rawValue): \(code)")
            case .log(let line): lines.append("log \(line.level): \(line.text)")
            default: lines.append("\(effect)")
            }
        }
        lines += facts
    }

    /// Returns the operation at `index`, or an unknown operation if there are too few. That fails only this test.
    func operation(_ index: Int = 0) -> OperationID {
        index < operations.count ? operations[index] : .unknownLogouts
    }

    static func == (left: Self, right: Self) -> Bool { left.lines == right.lines }

    private static func text(_ command: VaultCommand) -> String {
        switch command {
        case .setDeadline(let device, let at):
            "write \(name(device)): \(at.map { "deadline \(time($0))" } ?? "no deadline")"
        case .setExtensions(let session, let times): "write \(name(session)): \(times) extensions"
        case .setWatched(let device, let isWatched): "write \(name(device)): \(isWatched ? "watched" : "not watched")"
        case .readDeadlines: "read deadlines"
        case .forgetWatchedWithoutSessions: "forget watched without sessions"
        default: "\(command)"
        }
    }

    private static func text(_ fact: Fact) -> String {
        switch fact {
        case .presence(.logoutDue(let key, let cause)): "due: \(name(key)), \(cause)"
        case .presence(.logoutDueUnseen(let device)): "due unseen: \(name(device))"
        case .presence(.warned(let key, let cause, let at)): "warned: \(name(key)), \(cause) at \(time(at))"
        case .presence(.warningWithdrawn(let key)): "warning withdrawn: \(name(key))"
        case .ledger(.wantsToWrite(let room, let device, let user)):
            "\(room) wants to write \(name(device)), paid by \(String(decoding: user, as: UTF8.self))"
        case .ledger(.happenedAgain(let event, _, _)):
            "audit \(event.kind): \(String(decoding: event.detail, as: UTF8.self))"
        case .ledger(.logged(let line, _, _)): "log \(line.level): \(line.text)"
        case .presence(.away(let device, let why)): "away: \(name(device)), \(why)"
        case .presence(.back(let device)): "back: \(name(device))"
        default: "\(fact)"
        }
    }

    private static func name(_ device: DeviceID) -> String { "\(device.bytes.first ?? 0)" }

    private static func name(_ session: [UInt8]) -> String { String(decoding: session, as: UTF8.self) }

    private static func name(_ key: SessionKey) -> String {
        switch key {
        case .logind(let id): name(id)
        case .program: "program"
        }
    }

    private static func time(_ time: Duration) -> String { "\(time.components.seconds)" }
}

extension OperationID {
    /// An operation that was never started.
    static var unknownLogouts: OperationID { OperationID(room: .logouts, number: 9_999) }
}

extension DeviceSheet {
    init(
        device: UInt8, isWeb: Bool = false, autoLogout: UInt32? = nil, thresholds: StoredThresholds? = nil,
        isWatched: Bool = false
    ) {
        self.init(
            record: DeviceRecord(
                id: testDevice(device), publicKey: [], user: Array("bob".utf8), label: [], mode: .phoneHeld,
                isWeb: isWeb,
                state: .active, enrolledAt: 0, lastUsedAt: nil),
            autoLogout: autoLogout, thresholds: thresholds, isWatched: isWatched)
    }
}
