import ArgumentParser
import EventLoop
import Glibc
import PhoneCore
import PhoneKit
import Secrets

/// The resources of every command: the one thread, the terminal, the phone.
struct Program: Sendable {
    let loop: EpollLoop
    let console: Console
    let terminal: Terminal
    let progress: ProgressLine
    let phone: Phone

    /// Runs a command, prints the complaint that it throws, if any, and exits with the command's status.
    static func run(
        _ options: GlobalOptions, _ loopback: LoopbackOptions,
        _ body: @escaping @Sendable (Program) async throws(Complaint) -> ExitStatus
    ) throws {
        let console = Console()
        let code = EpollLoop.runMain { loop in
            do throws(Complaint) {
                try harden()
                let program = try Program(options, loopback, loop, console)
                return try await program.untilSignalled(body)
            } catch {
                console.complain(error, .red)
                return error.status.rawValue
            }
        }
        if code != 0 { throw ExitCode(code) }
    }

    /// Disables core dumps and access by the user's other processes, because passwords pass through this process.
    private static func harden() throws(Complaint) {
        do throws(SystemError) {
            try ProcessHardening.apply()
        } catch {
            throw Complaint(.system, "this process cannot be protected: \(error)")
        }
    }

    private init(
        _ options: GlobalOptions, _ loopback: LoopbackOptions, _ loop: EpollLoop, _ console: Console
    ) throws(Complaint) {
        let settings = try options.settings()
        let directory =
            if let chosen = settings.directory { chosen } else { try PhoneEnvironment.current.vaultDirectory() }
        self.loop = loop
        self.console = console
        terminal = Terminal(loop: loop)
        progress = ProgressLine(loop: loop, console: console)
        phone = Phone(
            vault: VaultOnDemand(directory: directory, loop: loop),
            radio: Radios.central(settings, bus: options.bus, loopback, loop), clock: LoopClock(loop: loop),
            executor: loop)
    }

    /// Runs `body`. Ctrl-C and similar signals cancel `body`, so that it can tell the box and restore the terminal.
    private func untilSignalled(
        _ body: @escaping @Sendable (Program) async throws(Complaint) -> ExitStatus
    ) async throws(Complaint) -> Int32 {
        let work = loop.spawn { () async -> Result<ExitStatus, Complaint> in
            do throws(Complaint) {
                return .success(try await body(self))
            } catch {
                return .failure(error)
            }
        }
        let caught = CaughtSignal(loop: loop)
        let watch: SignalWatch
        do throws(SystemError) {
            // SAFETY: the handler runs on the loop, to which both actors are pinned.
            watch = try loop.signals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]) { number in
                guard number != SIGTSTP else { return terminal.assumeIsolated { $0.suspend() } }
                caught.assumeIsolated { $0.number = number }
                work.cancel()
            }
        } catch {
            work.cancel()
            throw Complaint(.system, "signals cannot be received: \(error)")
        }
        let result = await work.value
        withExtendedLifetime(watch) {}
        await progress.end()
        guard let number = await caught.number else { return try result.get().rawValue }
        if case .failure(let complaint) = result, complaint.status != .interrupted {
            console.complain(complaint, .yellow)
        }
        return 128 + number
    }
}

/// The signal that ended the command, if one did.
private actor CaughtSignal {
    var number: Int32?
    private let loop: EpollLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop) {
        self.loop = loop
    }
}
