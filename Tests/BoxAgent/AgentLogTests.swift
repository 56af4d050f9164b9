import EventLoop
import Glibc
import Testing

@testable import BoxAgent

/// A journal with its socket for fields and the stream that is a program's standard error.
private final class Journal {
    let directory: String
    let fields: Int32
    let stream: Int32
    let standardError: Int32

    var socket: JournalSocket { JournalSocket(path: directory + "/socket") }

    init() throws {
        var template = Array("/tmp/boxagent-journal-XXXXXX".utf8CString)
        directory = String(cString: try #require(unsafe mkdtemp(&template)))
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        (stream, standardError) = (pair[0], pair[1])
        fields = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: (directory + "/socket").utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fields, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    deinit {
        for descriptor in [fields, stream, standardError] { close(descriptor) }
        unlink(directory + "/socket")
        rmdir(directory)
    }

    /// Reads once from a socket. Returns nil if nothing waits there.
    func read(_ socket: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

@Suite("The agent's log")
struct AgentLogTests {
    @Test("The journal is given fields; without its socket the same line comes by standard error")
    func fallback() throws {
        let journal = try Journal()
        let log = AgentLog(forJournal: true, descriptor: journal.standardError, journal: journal.socket)
        log.notice("hello", LogEvent(name: "prompt-refused"))
        #expect(
            journal.read(journal.fields)
                == "MESSAGE=hello\nPRIORITY=5\nSYSLOG_IDENTIFIER=boxagentd\nBOXAGENT_EVENT=prompt-refused\n")
        #expect(journal.read(journal.stream) == nil)
        unlink(journal.directory + "/socket")
        log.warning("hello")
        #expect(journal.read(journal.stream) == "<4>hello\n")
    }

    @Test("A journal that does not read is not waited for, and is told how much was lost when it reads again")
    func stopped() throws {
        let journal = try Journal()
        let log = AgentLog(forJournal: true, descriptor: journal.standardError, journal: journal.socket)
        // All these lines are far more than both sockets hold (net.core.wmem_default, about 200 KiB each).
        let text = String(repeating: "x", count: 8_000)
        for _ in 0..<500 { log.info(text) }
        var taken = 0
        while journal.read(journal.fields) != nil { taken += 1 }
        var streamed = 0
        while let part = journal.read(journal.stream) { streamed += part.utf8.count { $0 == 0x0A } }
        #expect(taken + streamed < 500)
        log.info("again")
        let said = try #require(journal.read(journal.fields))
        #expect(said.hasPrefix("MESSAGE=\(500 - taken - streamed) lines were lost"))
        #expect(journal.read(journal.fields)?.hasPrefix("MESSAGE=again\n") == true)
    }

    @Test("A terminal is given the line alone")
    func terminal() throws {
        let journal = try Journal()
        let log = AgentLog(forJournal: false, descriptor: journal.standardError, journal: journal.socket)
        log.info("hello", LogEvent(name: "login-correct"))
        #expect(journal.read(journal.stream) == "boxagentd: hello\n")
        #expect(journal.read(journal.fields) == nil)
    }
}
