import AgentConfiguration
import AgentCore
import ControlProtocol
import EventLoop
import Glibc
import Links
import Sessions
import Transport
import Vault
import VaultPort
import Wire

@testable import BoxAgent

struct TestFailure: Error { let text: String }

/// A temporary directory. `deinit` removes it with its files and folders, but not with folders inside folders.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/boxagent-radios-XXXXXX".utf8CString)
        // SAFETY: `mkdtemp` changes the template in place, which has its terminating NUL.
        guard mkdtemp(&template) != nil else { throw TestFailure(text: "mkdtemp: errno \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for folder in Directories.names(in: path, limit: 100) {
            for name in Directories.names(in: path + "/" + folder, limit: 100) {
                unlink(path + "/" + folder + "/" + name)
            }
            if rmdir(path + "/" + folder) != 0 { unlink(path + "/" + folder) }
        }
        rmdir(path)
    }
}

/// The whole agent on any radio, but without the files of the agent's sockets.
struct BoxInMemory: Sendable {
    let agent: Agent
    let loop: EpollLoop
    private let accepting: Task<Void, Never>

    init(_ boxID: String, on radio: any PeripheralRadio, in directory: TemporaryDirectory, loop: EpollLoop) async throws
    {
        var configuration = Configuration()
        configuration.box.stateDirectory = directory.path + "/box"
        configuration.box.runtimeDirectory = directory.path
        configuration.box.issueFile = ""
        configuration.enrolment.requireKnownUser = false
        configuration.sessions.bus = "unix:path=\(directory.path)/no-bus"
        let log = AgentLog(forJournal: false, descriptor: -1)
        let vault = try BoxVault(
            directory: configuration.box.stateDirectory, boxID: Array(boxID.utf8), executor: loop,
            hasher: WorkerPINHasher(loop: loop))
        let keys = try await vault.boxKeys()
        let logind = Logind(loop: loop, address: configuration.sessions.bus)
        let none = CommandTemplate([])
        agent = Agent(
            AgentParts(
                loop: loop, startedAt: loop.now(), log: log, vault: vault, shownKeys: ShownKeys(keys), radio: radio,
                controller: SystemSessionController(
                    logind: logind,
                    commands: CommandSessionController(
                        loop: loop, lock: none, unlock: none, logout: none, timeLimit: .seconds(1))),
                logind: logind, accounts: AccountDirectory(loop: loop),
                metrics: MetricsKeeper(path: "", loop: loop, log: log), configuration: configuration,
                place: BoxPlace()), ownBoxID: keys.boxID)
        self.loop = loop
        try await radio.start(identity: keys.identity, name: Advertisement.name(boxID: boxID))
        await agent.start()
        accepting = loop.spawn { [agent] in await agent.acceptPhones() }
    }

    /// Opens a connection like `boxagent` run by root.
    func command() async throws -> CommandInMemory {
        let (connection, otherEnd) = try SeqPacketConnection.withOtherEnd(on: loop)
        let caller = Caller(uid: 0, pid: getpid(), daemonUID: 0)
        await agent.serve(ControlConnection(connection: connection, caller: caller, loop: loop)) { [agent] in
            await CommandReader(agent: agent, caller: $1).answer($0)
        }
        return CommandInMemory(connection: try SeqPacketConnection.adopting(otherEnd, on: loop))
    }

    func stop() async {
        await agent.stop()
        await accepting.value
    }
}

/// The other end of a command's connection.
struct CommandInMemory: Sendable {
    let connection: SeqPacketConnection

    func ask(_ request: ControlRequest) async throws {
        try await connection.send(
            try [UInt8].encoding(limit: ControlLimits.messageBytes) { bytes throws(ControlMessageError) in
                try request.encode(into: &bytes)
            })
    }

    /// Returns the next reply and its bytes.
    func next() async throws -> (reply: ControlReply, bytes: [UInt8]) {
        let limit = connection.loop.now() + .seconds(30)
        guard let bytes = try await connection.receive(limit: ControlLimits.messageBytes, until: limit) else {
            throw TestFailure(text: "the agent hung up")
        }
        return (try bytes.withRawSpan { try ControlReply.decode($0) }, bytes)
    }

    /// Returns the words of all stages up to the end.
    func stagesToTheEnd() async throws -> [String] {
        var stages: [String] = []
        while true {
            switch try await next().reply {
            case .testStage(let text): stages.append(text)
            case .done: return stages
            case let other: throw TestFailure(text: "\(other)")
            }
        }
    }
}
