import Glibc
import Testing

@testable import EventLoop

@Suite("Child processes")
struct ChildProcessTests {
    private func run(_ command: ChildCommand) async throws -> ChildResult {
        try await EpollLoop.withThread { loop in try await ChildProcess.run(command, on: loop) }
    }

    @Test("A child gets its input, exactly the environment given, and its output and status come back")
    func inputAndOutput() async throws {
        let script = "cat; env; exit 7"
        let result = try await run(
            ChildCommand(
                "/bin/sh", ["-c", script], environment: ["ONLY": "this"], input: Array("hello\n".utf8),
                outputLimitBytes: 1_000))
        let text = String(decoding: result.output, as: UTF8.self)
        #expect(result.ending == .exited(7))
        #expect(text.hasPrefix("hello\n"))
        #expect(text.contains("ONLY=this\n"))
        #expect(!text.contains("HOME="))
    }

    @Test("Input larger than a pipe is fed, and output over the limit is cut without blocking the child")
    func largeStreams() async throws {
        let result = try await run(
            ChildCommand("/bin/cat", input: [UInt8](repeating: 65, count: 500_000), outputLimitBytes: 100_000))
        #expect(result.ending == .exited(0))
        #expect(result.output.count == 100_000)
        #expect(result.outputWasCut)
    }

    @Test("A child that does not read its input does no harm")
    func unreadInput() async throws {
        let result = try await run(ChildCommand("/bin/true", input: [UInt8](repeating: 65, count: 500_000)))
        #expect(result.succeeded)
    }

    @Test("At the time limit the child and what it started are killed")
    func timeLimit() async throws {
        var started: Int32?
        // On a busy machine, the shell may need longer than the limit to print the grandchild's id.
        for milliseconds in [150, 1_000, 5_000, 20_000] where started == nil {
            let result = try await run(
                ChildCommand(
                    "/bin/sh", ["-c", "sleep 1000 & echo $!; wait"], outputLimitBytes: 100,
                    timeLimit: .milliseconds(milliseconds)))
            #expect(result.ending == .timedOut)
            started = Int32(String(decoding: result.output, as: UTF8.self).prefix { $0.isNumber })
        }
        let grandchild = try #require(started)
        // Linux delivers a signal when a process next runs. The grandchild is then gone, or a zombie for init to reap.
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        var now = end
        while kill(grandchild, 0) == 0, stateOf(grandchild) != "Z", now.tv_sec < end.tv_sec + 20 {
            sched_yield()
            clock_gettime(CLOCK_MONOTONIC, &now)
        }
        #expect(now.tv_sec < end.tv_sec + 20)
    }

    private func stateOf(_ process: Int32) -> Character? {
        var text = [UInt8](repeating: 0, count: 512)
        let descriptor = open("/proc/\(process)/stat", O_RDONLY)
        defer { close(descriptor) }
        let count = read(descriptor, &text, text.count)
        guard count > 0 else { return "Z" }
        let rest = String(decoding: text[..<count], as: UTF8.self)
        return rest.split(separator: ")").last?.first { $0.isLetter }
    }

    @Test("Cancelling the task kills the child")
    func cancellation() async throws {
        let result = try await EpollLoop.withThread { loop in
            let task = loop.spawn { try? await ChildProcess.run(ChildCommand("/bin/sleep", ["1000"]), on: loop) }
            try await loop.sleep(until: loop.now() + .milliseconds(20))
            task.cancel()
            return await task.value
        }
        #expect(result?.ending == .cancelled)
    }

    @Test("A child killed by a signal tells which")
    func signalled() async throws {
        let result = try await run(ChildCommand("/bin/sh", ["-c", "kill -TERM $$"]))
        #expect(result.ending == .signalled(SIGTERM))
    }

    @Test("A program that cannot be started is an error that names it")
    func missingProgram() async throws {
        await #expect(throws: SystemError(code: ENOENT, attempt: "run /nonexistent/program")) {
            _ = try await run(ChildCommand("/nonexistent/program"))
        }
    }

    @Test("No descriptor but 0, 1 and 2 reaches the child")
    func descriptors() async throws {
        let leak = open("/dev/null", O_RDONLY)
        defer { close(leak) }
        let result = try await run(
            ChildCommand("/bin/sh", ["-c", "ls /proc/$$/fd; pwd"], outputLimitBytes: 1_000))
        // The shell itself has no other descriptors open, so 0, 1 and 2 are all that the child inherits.
        #expect(String(decoding: result.output, as: UTF8.self) == "0\n1\n2\n/\n")
    }
}

@Suite("The process as systemd and the kernel see it")
struct ProcessTests {
    @Test("A program on the loop makes no thread, and an idle one is woken only by its own deadline")
    func oneThreadNoWakeUps() async throws {
        let probe = try buildDirectory() + "/loop-probe"
        let result = try await EpollLoop.withThread { loop in
            try await ChildProcess.run(
                ChildCommand(probe, outputLimitBytes: 1_000, timeLimit: .seconds(60)), on: loop)
        }
        #expect(result.ending == .exited(0))
        #expect(
            String(decoding: result.output, as: UTF8.self) == "rounds=150 threads-made=0 idle-wake-ups=1\n")
    }

    private func probe(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await EpollLoop.withThread { loop in
            try await ChildProcess.run(
                ChildCommand(program, arguments, outputLimitBytes: 4_000, timeLimit: .seconds(60)), on: loop)
        }
        #expect(result.ending == .exited(0))
        return String(decoding: result.output, as: UTF8.self)
    }

    @Test("Sockets that systemd passes are taken by name, once, and what is no listener is refused")
    func inheritedSockets() async throws {
        // The script acts like systemd: opens descriptors from 3 on, sets the variables, and runs the program in place.
        let script = """
            import os, socket, sys
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            listening.bind(""); listening.listen()
            other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            os.dup2(listening.fileno(), 50); os.dup2(other.fileno(), 51)
            os.dup2(50, 3); os.dup2(51, 4)
            for fd in (3, 4): os.set_inheritable(fd, True)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="pam.sock:stream")
            os.execv(sys.argv[1], [sys.argv[1], "inherited"])
            """
        let text = try await probe("/usr/bin/python3", ["-c", script, try buildDirectory() + "/loop-probe"])
        #expect(text == "pam.sock listens\nstream refused\nagain 0\n")
    }

    @Test("Sockets meant for another process are not taken")
    func socketsOfOthers() async throws {
        let script = """
            import os, sys
            os.environ.update(LISTEN_PID="1", LISTEN_FDS="2", LISTEN_FDNAMES="a:b")
            os.execv(sys.argv[1], [sys.argv[1], "inherited"])
            """
        let text = try await probe("/usr/bin/python3", ["-c", script, try buildDirectory() + "/loop-probe"])
        #expect(text == "again 0\n")
    }

    @Test("A hardened process leaves no core, cannot be looked into, and makes files for its owner alone")
    func hardening() async throws {
        let text = try await probe(try buildDirectory() + "/loop-probe", ["hardened"])
        #expect(text == "dumpable=false core=0 umask=77\n")
    }

    @Test("Signals arrive as events")
    func signals() async throws {
        let received = try await EpollLoop.withThread { loop in
            let point = WaitPoint(on: loop)
            let seen = Guarded<[Int32]>([])
            let watch = try loop.signals([SIGUSR1]) { signal in
                seen.withLock { $0.append(signal) }
                point.signal()
            }
            let mark = point.mark()
            // Sends the signal to this thread, the loop's. Another thread could take a signal to the whole process.
            pthread_kill(pthread_self(), SIGUSR1)
            _ = await point.wait(since: mark, until: loop.now() + .seconds(10))
            return withExtendedLifetime(watch) { seen.withLock { $0 } }
        }
        #expect(received == [SIGUSR1])
    }

    @Test("systemd hears readiness, status on one line, reloading with its time, stopping, and the watchdog in time")
    func notify() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/notify"
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        func next() -> String {
            var bytes = [UInt8](repeating: 0, count: 200)
            let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
        }
        let notify = Notify(socket: path, watchdogPeriod: .milliseconds(50))
        notify.ready()
        notify.status("two\nlines")
        notify.reloading()
        notify.stopping()
        #expect(next() == "READY=1")
        #expect(next() == "STATUS=two lines")
        #expect(next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        #expect(next() == "STOPPING=1")
        try await EpollLoop.withThread { loop in
            let watchdog = notify.keepWatchdog(on: loop)
            try await loop.sleep(until: loop.now() + .milliseconds(200))
            watchdog?.cancel()
            await watchdog?.value
        }
        var pings = 0
        while next() == "WATCHDOG=1" { pings += 1 }
        // One ping at once, then one each 30 ms, which is at most two a period.
        #expect((2...8).contains(pings))
    }

    @Test("Without systemd there is no watchdog and nothing is sent")
    func withoutSystemd() async throws {
        let task = try await EpollLoop.withThread { loop in
            Notify(socket: "/nonexistent/notify", watchdogPeriod: nil).keepWatchdog(on: loop) == nil
        }
        #expect(task)
    }
}
