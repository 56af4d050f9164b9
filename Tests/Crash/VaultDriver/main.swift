import EventLoop
import FaultyDisk
import Glibc

// VaultCrashDriver DIRECTORY storm|script|check [KEY=NUMBER ...]
//
// Works on a box's vault. Standard output has a line before and after each operation, so the process that kills the
// driver knows what must hold afterwards. Keys: seed, and those of faulty_disk_settings.
let arguments = CommandLine.arguments
guard arguments.count >= 3, let scenario = Scenario(rawValue: arguments[2]) else {
    Report.complain("usage: VaultCrashDriver DIRECTORY storm|script|check [KEY=NUMBER ...]")
    exit(64)
}
var numbers: [String: UInt64] = [:]
for argument in arguments.dropFirst(3) {
    let parts = argument.split(separator: "=").map(String.init)
    guard parts.count == 2, let number = UInt64(parts[1]) else {
        Report.complain("'\(argument)' is not KEY=NUMBER")
        exit(64)
    }
    numbers[parts[0]] = number
}
let disk = faulty_disk_settings(
    loses_unsynced: Int32(numbers["loses_unsynced"] ?? 0), seed: numbers["seed"] ?? 1,
    kill_at: numbers["kill_at"] ?? 0, full_at: numbers["full_at"] ?? 0, skips_syncs: 0)
guard faulty_disk_install(disk) == 0 else {
    Report.complain("SQLite takes no VFS")
    exit(70)
}
let directory = arguments[1]
let seed = numbers["seed"] ?? 1
exit(EpollLoop.runMain { loop in await scenario.run(in: directory, seed: seed, loop: loop) })
