// A small program like the daemon, to be observed from outside. It works as actors do, then reports how many threads
// it made and how often the kernel woke it while idle. `inherited` and `hardened` report on sockets and hardening.
import EventLoop
import Glibc

actor Busy {
    let loop: EpollLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var rounds = 0

    init(_ loop: EpollLoop) { self.loop = loop }

    /// Uses tasks, child tasks, waits, time limits, cancellation and sockets.
    func work() async throws -> Int {
        let (left, right) = try SeqPacketConnection.pair(on: loop)
        let echo = loop.spawn {
            while let message = try? await right.receive(limit: 64) {
                try? await right.send(message)
            }
        }
        for round in 0..<50 {
            try await left.send([UInt8(round)])
            if try await left.receive(limit: 64) == [UInt8(round)] { rounds += 1 }
        }
        let late = try? await left.receive(limit: 64, until: loop.now() + .milliseconds(1))
        let waiting = loop.spawn { try? await left.receive(limit: 64) }
        await Task.yield()
        waiting.cancel()
        _ = await waiting.value
        await left.close()
        _ = await echo.result
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await self.loop.sleep(until: self.loop.now() + .milliseconds(1)) } }
            try await group.waitForAll()
        }
        return late == nil ? rounds : -1
    }
}

func threads() -> Int { Directories.names(in: "/proc/self/task", limit: 1_000).count }

/// Returns the voluntary context switches of this process, which has only one thread.
func wakeUps() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_nvcsw
}

/// Takes the sockets from systemd and prints whether each listens. Then takes them again and prints their number.
func inherited(_ loop: EpollLoop) async {
    let sockets = InheritedSockets.take()
    for (name, descriptor) in sockets.sorted(by: { $0.key < $1.key }) {
        let listener = try? SeqPacketListener(inherited: descriptor, on: loop)
        print("\(name) \(listener == nil ? "refused" : "listens")")
    }
    print("again \(InheritedSockets.take().count)")
}

func hardened() throws {
    try ProcessHardening.apply()
    var core = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    print("dumpable=\(ProcessHardening.isDumpable) core=\(core.rlim_cur) umask=\(String(umask(0), radix: 8))")
}

func idle(_ loop: EpollLoop, threadsBefore: Int) async -> Int32 {
    let busy = Busy(loop)
    guard let rounds = try? await busy.work() else { return 1 }
    let inTask = (await loop.spawn { try? await busy.work() }.value) ?? 0
    let start = wakeUps()
    try? await loop.sleep(until: loop.now() + .milliseconds(400))
    print("rounds=\(rounds + inTask) threads-made=\(threads() - threadsBefore) idle-wake-ups=\(wakeUps() - start)")
    return 0
}

let before = threads()
exit(
    EpollLoop.runMain { loop in
        switch CommandLine.arguments.dropFirst().first {
        case "inherited": await inherited(loop)
        case "hardened": try? hardened()
        default: return await idle(loop, threadsBefore: before)
        }
        return 0
    })
