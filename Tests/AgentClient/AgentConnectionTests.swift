import ControlProtocol
import CLinux
import Glibc
import Testing
import Wire

@testable import AgentClient

/// A socket in a temporary directory. `deinit` removes both.
private final class Listener {
    let directory: String
    let path: String
    let descriptor: Int32

    init(backlog: Int32 = 8) throws {
        var template = Array("/tmp/boxagent-client-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = directory + "/control.sock"
        descriptor = clinux_seqpacket()
        let bytes = Array(path.utf8)
        try #require(clinux_unix_bind(descriptor, bytes, bytes.count) == 0)
        try #require(clinux_listen(descriptor, backlog) == 0)
    }

    /// Accepts a connection and returns the agent's end of it.
    func accept() throws -> Int32 {
        let accepted = clinux_accept(descriptor)
        try #require(accepted >= 0)
        return accepted
    }

    deinit {
        close(descriptor)
        unlink(path)
        rmdir(directory)
    }
}

private func send(_ reply: ControlReply, on descriptor: Int32) throws {
    let bytes: [UInt8] = try .encoding(limit: ControlLimits.messageBytes) { output throws(ControlMessageError) in
        try reply.encode(into: &output)
    }
    #expect(clinux_send(descriptor, bytes, bytes.count) == bytes.count)
}

@Suite("The client of the control socket")
struct AgentConnectionTests {
    private func failure(_ body: () throws(AgentClientError) -> Void) -> AgentClientError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("A request arrives whole, and its reply is lent and then wiped")
    func exchange() throws {
        let listener = try Listener()
        var connection = try AgentConnection(path: listener.path, timeLimit: .seconds(5))
        let agent = try listener.accept()
        defer { close(agent) }
        try connection.send(.revokeUser(Array("anna".utf8)), timeLimit: .seconds(5))
        var received = [UInt8](repeating: 0, count: ControlLimits.messageBytes)
        let count = clinux_receive(agent, &received, received.count)
        let request = try Array(received.prefix(max(0, count))).withRawSpan { span throws(ControlMessageError) in
            try ControlRequest.decode(span)
        }
        #expect(request == .revokeUser(Array("anna".utf8)))
        try send(.done(text: "two phones"), on: agent)
        let reply = try connection.receive(timeLimit: .seconds(5)) { reply, _ in reply }
        #expect(reply == .done(text: "two phones"))
    }

    @Test("A reply is received also where the agent closed without reading what it was asked")
    func replyAndEnd() throws {
        let listener = try Listener()
        var connection = try AgentConnection(path: listener.path, timeLimit: .seconds(5))
        let agent = try listener.accept()
        try connection.send(.status, timeLimit: .seconds(5))
        try send(.done(text: "busy"), on: agent)
        close(agent)
        #expect(try connection.receive(timeLimit: .seconds(5)) { reply, _ in reply } == .done(text: "busy"))
        do throws(AgentClientError) {
            _ = try connection.receive(timeLimit: .seconds(5)) { reply, _ in reply }
            Issue.record("something came from an agent that has gone")
        } catch {
            #expect(error == .closed)
        }
    }

    @Test("No reply in time is nil, and the connection goes on")
    func noReply() throws {
        let listener = try Listener()
        var connection = try AgentConnection(path: listener.path, timeLimit: .seconds(5))
        let agent = try listener.accept()
        defer { close(agent) }
        #expect(try connection.receive(timeLimit: .milliseconds(20)) { _, _ in true } == nil)
        try send(.enrolmentContact, on: agent)
        #expect(try connection.receive(timeLimit: .seconds(5)) { reply, _ in reply } == .enrolmentContact)
    }

    @Test("What no message can say is refused by name, and nothing is sent")
    func unsendable() throws {
        let listener = try Listener()
        var connection = try AgentConnection(path: listener.path, timeLimit: .seconds(5))
        let agent = try listener.accept()
        defer { close(agent) }
        do throws(AgentClientError) {
            try connection.send(.revokeUser([UInt8](repeating: 0x61, count: 256)), timeLimit: .seconds(5))
            Issue.record("a name over its bound was sent")
        } catch {
            #expect(error == .unsendable(.invalid(field: "user", .tooLarge)))
            #expect(error.what == "the request cannot be sent: its field 'user' has a value that is not valid")
        }
        try connection.send(.status, timeLimit: .seconds(5))
        var received = [UInt8](repeating: 0, count: ControlLimits.messageBytes)
        let count = clinux_receive(agent, &received, received.count)
        let request = try Array(received.prefix(max(0, count))).withRawSpan { span throws(ControlMessageError) in
            try ControlRequest.decode(span)
        }
        #expect(request == .status)
    }

    @Test("Each way to fail has its own error")
    func failures() throws {
        let nowhere = "/tmp/boxagent-no-such-socket"
        #expect(
            failure { () throws(AgentClientError) in _ = try AgentConnection(path: nowhere, timeLimit: .zero) }
                == .notRunning(path: nowhere))
        let long = "/" + String(repeating: "x", count: 200)
        #expect(
            failure { () throws(AgentClientError) in _ = try AgentConnection(path: long, timeLimit: .zero) }
                == .pathTooLong(path: long))
        let listener = try Listener()
        var connection = try AgentConnection(path: listener.path, timeLimit: .seconds(5))
        let agent = try listener.accept()
        #expect(clinux_send(agent, [0xFF], 1) == 1)
        do throws(AgentClientError) {
            _ = try connection.receive(timeLimit: .seconds(5)) { _, _ in }
            Issue.record("garbage was taken for a reply")
        } catch {
            #expect(error == .malformed(.notAMessage(.unexpectedType)))
        }
        close(agent)
        do throws(AgentClientError) {
            _ = try connection.receive(timeLimit: .seconds(5)) { _, _ in }
            Issue.record("a closed connection gave a reply")
        } catch {
            #expect(error == .closed)
        }
    }

    @Test("A listener that is nobody's agent is sent nothing")
    func untrusted() throws {
        let listener = try Listener()
        let nobody = ListenerTrust(ownUser: getuid() + 1, agentUser: nil)
        let expected: AgentClientError? =
            getuid() == 0 ? nil : .untrustedListener(path: listener.path, user: getuid())
        let path = listener.path
        #expect(
            failure { () throws(AgentClientError) in
                _ = try AgentConnection(path: path, timeLimit: .seconds(5), trust: nobody)
            } == expected)
    }

    @Test("Root, the agent's user and one's own are trusted; another and the overflow user are not")
    func trust() {
        let trust = ListenerTrust(ownUser: 1000, agentUser: 990)
        #expect([0, 990, 1000].allSatisfy { trust.trusts($0) })
        #expect([1, 1001, ListenerTrust.overflowUser].allSatisfy { !trust.trusts($0) })
        #expect(!ListenerTrust(ownUser: ListenerTrust.overflowUser, agentUser: nil).trusts(ListenerTrust.overflowUser))
        #expect(!ListenerTrust(ownUser: 1000, agentUser: nil).trusts(990))
    }

    @Test("While the agent's queue is full, the connection is tried until the time is over")
    func fullQueue() throws {
        let listener = try Listener(backlog: 0)
        let path = listener.path
        let first = try AgentConnection(path: path, timeLimit: .seconds(5))
        #expect(
            failure { () throws(AgentClientError) in
                _ = try AgentConnection(path: path, timeLimit: .milliseconds(30))
            } == .busy)
        _ = consume first
    }

    @Test("A buffer that was let go holds zeroes up to the end")
    func wipedBuffer() {
        var buffer = WipedBuffer(count: 4)
        buffer.withMutableBytes { bytes in
            for index in 0..<bytes.byteCount { bytes.storeBytes(of: UInt8(7), toByteOffset: index, as: UInt8.self) }
        }
        let sum = { (bytes: RawSpan) in (0..<bytes.byteCount).reduce(0) { $0 + Int(bytes.byte(at: $1)) } }
        #expect(buffer.withBytes(first: 4, sum) == 28)
        #expect(buffer.withBytes(first: 2, sum) == 14)
        #expect(buffer.withBytes(first: 99, sum) == 28)
        buffer.wipe()
        #expect(buffer.withBytes(first: 4, sum) == 0)
    }
}
