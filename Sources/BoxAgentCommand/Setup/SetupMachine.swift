import EventLoop
import Glibc

/// The machine that is set up: its files and programs, as root sees them.
///
/// Programs are started by absolute paths with an environment of ours; whoever started this one has no say in it.
struct SetupMachine: Sendable {
    /// A file longer than this, in bytes, is not read to its end. None that is looked at comes near.
    static let fileBytes = 65_536
    /// Names in one directory of /sys or of ours.
    static let nameLimit = 256
    static let programOutputBytes = 65_536
    /// A bluetoothd that restarts takes seconds on a slow machine.
    static let programLimit: Duration = .seconds(90)
    /// Killed in the middle it would leave half of the stacks as they were.
    static let stackLimit: Duration = .seconds(900)

    /// What a program said, and whether it ended with 0.
    struct Result: Sendable {
        var succeeded = false
        var output = ""
    }

    /// Runs one of the paths, whichever there is first.
    func run(_ paths: [String], _ arguments: [String], limit: Duration = programLimit) -> Result {
        guard let program = paths.first(where: { access($0, X_OK) == 0 }) else {
            return Result(output: "\(paths.first ?? "") is not installed")
        }
        var environment = ChildCommand.plainEnvironment
        environment["DEBIAN_FRONTEND"] = "noninteractive"
        environment["SYSTEMD_PAGER"] = ""
        let command = ChildCommand(
            program, arguments, environment: environment, outputLimitBytes: Self.programOutputBytes,
            timeLimit: limit)
        do throws(SystemError) {
            let ended = try ChildProcess.runBlocking(command)
            return Result(succeeded: ended.succeeded, output: String(decoding: ended.output, as: UTF8.self))
        } catch {
            return Result(output: "\(error)")
        }
    }

    func systemctl(_ arguments: [String]) -> Result { run(["/usr/bin/systemctl", "/bin/systemctl"], arguments) }

    /// `systemctl show`: NAME=VALUE lines.
    func properties(of unit: String, _ names: [String]) -> [String: String] {
        let said = systemctl(["show", unit, "--property=" + names.joined(separator: ",")])
        var values: [String: String] = [:]
        for line in said.output.split(separator: "\n") {
            guard let end = line.firstIndex(of: "=") else { continue }
            values[String(line[..<end])] = String(line[line.index(after: end)...])
        }
        return values
    }

    func pamAuthUpdate(_ arguments: [String]) -> Result {
        run(["/usr/sbin/pam-auth-update"], arguments, limit: Self.stackLimit)
    }

    func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    func names(in directory: String) -> [String] { Directories.names(in: directory, limit: Self.nameLimit).sorted() }

    /// The file's beginning; nil where it cannot be read.
    func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.fileBytes)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// A number or a word into a file of /sys.
    func set(_ path: String, to text: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }

    /// Writes a file that everybody may read, whole or not at all, also when the plug is pulled; makes its directory.
    func write(_ text: String, to path: String) throws(SetupFailure) {
        let directory = Self.directory(of: path)
        try make(directory)
        let next = path + ".new"
        unlink(next)
        let descriptor = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SetupFailure(writing: next, errno) }
        let bytes = Array(text.utf8)
        let isWhole =
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fchmod(descriptor, 0o644) == 0
            && fsync(descriptor) == 0
        let number = errno
        close(descriptor)
        guard isWhole, rename(next, path) == 0 else {
            let failure = SetupFailure(writing: path, isWhole ? errno : number)
            unlink(next)
            throw failure
        }
        try sync(directory)
    }

    func remove(_ path: String) throws(SetupFailure) {
        guard unlink(path) == 0 else {
            // It was not there, and its directory may have gone with what was there last.
            if errno == ENOENT { return }
            throw SetupFailure(writing: path, errno)
        }
        let directory = Self.directory(of: path)
        try sync(directory)
        // A directory that is empty now was made for it, or does no harm gone.
        rmdir(directory)
    }

    /// Makes the directory and those above it, whatever umask the administrator has.
    func make(_ directory: String) throws(SetupFailure) {
        if exists(directory) { return }
        try make(Self.directory(of: directory))
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST, chmod(directory, 0o755) == 0 else {
            throw SetupFailure(writing: directory, errno)
        }
    }

    private func sync(_ directory: String) throws(SetupFailure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SetupFailure(writing: directory, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SetupFailure(writing: directory, errno) }
    }

    private static func directory(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    }
}

/// Why a step was not done.
struct SetupFailure: Error, Equatable {
    let text: String

    init(_ text: String) { self.text = text }

    init(writing path: String, _ number: Int32) {
        text = "\(SystemError(code: number, attempt: "write \(path)"))"
    }
}
