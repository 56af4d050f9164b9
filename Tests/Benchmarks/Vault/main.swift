import EventLoop
import FaultyDisk
import Glibc

// Prints one line for each limit of the vault. Exits with 1 if a value exceeds its limit or cannot be measured.
func fail(_ reason: String) -> Int32 {
    let line = Array("VaultBenchmark: \(reason)\n".utf8)
    _ = write(2, line, line.count)
    return 1
}

/// Measures on the executor that the daemon uses.
func measure(in directory: String, on loop: EpollLoop) async -> Int32 {
    do {
        let results = [
            try await LookupBenchmark(directory: directory, loop: loop).run(),
            try await AttemptBenchmark(directory: directory, loop: loop).run(),
        ]
        for result in results { print(result.lines) }
        return results.allSatisfy(\.isWithinLimit) ? 0 : 1
    } catch {
        return fail("\(error)")
    }
}

var settings = faulty_disk_settings()
settings.skips_syncs = 1
// Install the disk before any database opens, because the disk counts transactions as they reach the log.
guard faulty_disk_install(settings) == 0 else { exit(fail("SQLite takes no VFS")) }
guard let scratch = ScratchDirectory() else { exit(fail("no directory can be made in /tmp")) }
let directory = scratch.path
let status = EpollLoop.runMain { loop in await measure(in: directory, on: loop) }
scratch.remove()
exit(status)
