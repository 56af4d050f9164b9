import EventLoop
import Glibc

@testable import DBus

struct TestFailure: Error { let text: String }

/// A dbus-daemon for one test, in its own directory.
final class PrivateBus: Sendable {
    let directory: String
    let process: pid_t
    var address: String { "unix:path=\(directory)/bus" }

    static func makeDirectory() throws -> String {
        var template = Array("/tmp/boxagent-bus-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure(text: "mkdtemp: errno \(errno)") }
        // SAFETY: mkdtemp leaves the NUL in its place.
        return template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    /// `deinit` removes `directory`.
    init(in directory: String? = nil) throws {
        let directory = try directory ?? Self.makeDirectory()
        self.directory = directory
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TestFailure(text: "pipe: errno \(errno)") }
        process = try Self.start(directory, output: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        var byte: UInt8 = 0
        // dbus-daemon prints its address only after it has begun to listen.
        guard read(ends[0], &byte, 1) == 1 else { throw TestFailure(text: "dbus-daemon did not start") }
    }

    private static func start(_ directory: String, output: Int32) throws -> pid_t {
        let words = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=\(output)"]
        let arguments = (words + ["--address=unix:path=\(directory)/bus"]).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, "dbus-daemon", nil, nil, arguments, environ)
        guard failure == 0 else { throw TestFailure(text: "dbus-daemon cannot be started: errno \(failure)") }
        return process
    }

    /// Sends a signal to one program, as any program on a bus may.
    func sendSignal(to destination: String, _ path: String, _ name: String, _ text: String) throws {
        let words = [
            "dbus-send", "--bus=\(address)", "--type=signal", "--dest=\(destination)", path, name, "string:\(text)",
        ]
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var sender: pid_t = 0
        var status: Int32 = 0
        guard posix_spawnp(&sender, "dbus-send", nil, nil, arguments, environ) == 0,
            waitpid(sender, &status, 0) == sender, status == 0
        else { throw TestFailure(text: "dbus-send") }
    }

    func stop() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    deinit {
        stop()
        unlink(directory + "/bus")
        rmdir(directory)
    }
}
