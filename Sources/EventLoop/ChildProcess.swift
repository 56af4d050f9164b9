import CLinux
import Glibc

/// Runs child processes on the loop, each in its own process group.
public enum ChildProcess {
    /// Runs the command to its end. Throws only if the program cannot be started.
    ///
    /// Cancellation kills the program, or first asks it to end. A kill also reaches the background processes that the
    /// program started. If the program ends by itself, these processes continue: one of them may be a screen locker.
    public static func run(_ command: ChildCommand, on loop: EpollLoop) async throws(SystemError) -> ChildResult {
        let run = try RunningChild(command, on: loop)
        let task = loop.spawn { await run.finish() }
        return await waitCancellably(task, run, on: loop, isolation: #isolation)
    }

    /// Runs the command for a caller without a loop. Blocks this thread, which runs a temporary loop meanwhile.
    public static func runBlocking(_ command: ChildCommand) throws(SystemError) -> ChildResult {
        let loop = try EpollLoop()
        let result = Guarded(Result<ChildResult, SystemError>.failure(SystemError(code: ECHILD, attempt: "wait")))
        loop.spawn {
            do throws(SystemError) {
                let ended = try await run(command, on: loop)
                result.withLock { $0 = .success(ended) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            loop.stop()
        }
        loop.run()
        return try result.withLock { $0 }.get()
    }

    private static func waitCancellably(
        _ task: Task<ChildResult, Never>, _ run: RunningChild, on loop: EpollLoop,
        isolation: isolated (any Actor)?
    ) async -> ChildResult {
        await withTaskCancellationHandler {
            _ = isolation
            return await task.value
        } onCancel: {
            // SAFETY: posted work runs on the loop, which is the child's executor.
            loop.post { run.assumeIsolated { $0.cancel() } }
        }
    }
}

/// One run of a child process: writes its input, reads its output and waits for its end.
private actor RunningChild {
    static let chunkBytes = 4_096

    nonisolated let loop: EpollLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let process: Int32
    private let pidfd: WatchedDescriptor
    private var input: WatchedDescriptor?
    private var output: WatchedDescriptor?
    private var unsent: ArraySlice<UInt8>
    private let outputLimitBytes: Int
    private let endSignal: Int32?
    private var deadline: Duration
    private let changed: WaitPoint
    private var kept: [UInt8] = []
    private var wasCut = false
    /// The reason if we ended the program; nil if it ends by itself.
    private var reason: ChildResult.Ending?
    private var isKilled = false
    private var hasEnded = false

    init(_ command: ChildCommand, on loop: EpollLoop) throws(SystemError) {
        let changed = WaitPoint(on: loop)
        let inputPipe = command.input.isEmpty ? nil : try Pipe()
        let outputPipe = command.outputLimitBytes > 0 ? try Pipe() : nil
        process = try Self.spawn(
            command, input: inputPipe?.reader.value ?? -1, output: outputPipe?.writer.value ?? -1)
        // The child's pipe ends are closed here, so that only the child keeps them open.
        do throws(SystemError) {
            let opened = try checked(clinux_pidfd_open(process), "watch a process")
            pidfd = try WatchedDescriptor(Descriptor(opened), for: .readable, on: loop, signalling: changed)
            input = try inputPipe.map { (pipe) throws(SystemError) in
                try WatchedDescriptor(pipe.writer, for: .writable, on: loop, signalling: changed)
            }
            output = try outputPipe.map { (pipe) throws(SystemError) in
                try WatchedDescriptor(pipe.reader, for: .readable, on: loop, signalling: changed)
            }
        } catch {
            _ = clinux_kill_group(process)
            var status: Int32 = 0
            // The child has been killed, so this does not wait.
            waitpid(process, &status, 0)
            throw error
        }
        self.loop = loop
        self.changed = changed
        unsent = command.input[...]
        outputLimitBytes = command.outputLimitBytes
        endSignal = command.endSignal
        deadline = loop.now() + command.timeLimit
    }

    func cancel() {
        guard !hasEnded, reason == nil else { return }
        guard let endSignal else { return kill(because: .cancelled) }
        reason = .cancelled
        // Signals only the program: the signal would kill its children, while the program itself can handle it.
        _ = Glibc.kill(process, endSignal)
        deadline = loop.now() + ChildCommand.endPatience
        changed.signal()
    }

    private func kill(because reason: ChildResult.Ending) {
        guard !hasEnded, !isKilled else { return }
        isKilled = true
        self.reason = self.reason ?? reason
        // The process is not reaped yet, so its number still belongs to this group.
        _ = clinux_kill_group(process)
    }

    func finish() async -> ChildResult {
        while true {
            let mark = changed.mark()
            feed()
            listen()
            if let ending = reap() {
                listen()
                return ChildResult(ending: reason ?? ending, output: kept, outputWasCut: wasCut)
            }
            if await changed.wait(since: mark, until: isKilled ? nil : deadline) == .timedOut {
                kill(because: .timedOut)
            }
        }
    }

    private func reap() -> ChildResult.Ending? {
        var exited: Int32 = 0
        var value: Int32 = 0
        let result = clinux_reap(pidfd.descriptor.value, &exited, &value)
        guard result != 0 else { return nil }
        hasEnded = true
        // If other code reaped the child, an error ends the wait, and the status is unknown.
        guard result > 0 else { return .exited(255) }
        return exited == 1 ? .exited(value) : .signalled(value)
    }

    private func feed() {
        while let descriptor = input?.descriptor.value {
            guard !unsent.isEmpty else {
                input = nil
                return
            }
            // SAFETY: pointer and count describe `unsent`, which outlives the call.
            let count = unsent.withUnsafeBytes { write(descriptor, $0.baseAddress, min($0.count, Self.chunkBytes)) }
            if count > 0 {
                unsent = unsent.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // The program closed its input, which is not an error.
                input = nil
            }
        }
    }

    private func listen() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while let descriptor = output?.descriptor.value {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 {
                let room = outputLimitBytes - kept.count
                kept += chunk[..<min(count, room)]
                wasCut = wasCut || count > room
            } else if count == 0 {
                output = nil
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                output = nil
            }
        }
    }

    private static func spawn(
        _ command: ChildCommand, input: Int32, output: Int32
    ) throws(SystemError) -> Int32 {
        let arguments = CStrings([command.program] + command.arguments)
        let environment = CStrings(command.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        let started = withExtendedLifetime((arguments, environment)) {
            clinux_spawn(command.program, arguments.pointers, environment.pointers, input, output)
        }
        return try checked(started, "run \(command.program)")
    }
}
