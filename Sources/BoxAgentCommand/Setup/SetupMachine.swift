import EventLoop
import Glibc

/// The machine to set up: its files and programs, as root sees them.
///
/// Programs are started by absolute paths with a fixed environment, which the caller of this program cannot influence.
struct SetupMachine: Sendable {
    /// Limit in bytes; the rest of a longer file is not read. The files that setup reads are much shorter.
    static let fileBytes = 65_536
    /// Maximum number of names that are read from one directory.
    static let nameLimit = 256
    static let programOutputBytes = 65_536
    /// On a slow machine, restarting bluetoothd takes seconds.
    static let programLimit: Duration = .seconds(90)
    /// If killed midway, pam-auth-update would leave some of the stacks unchanged.
    static let stackLimit: Duration = .seconds(900)

    /// The output of a program, and whether it ended with status 0.
    struct Result: Sendable {
        var succeeded = false
        var output = ""
    }

    /// Runs the first of these paths that exists.
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

    /// Runs `systemctl show` and returns its NAME=VALUE lines.
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

    /// Returns the start of the file; nil if it cannot be read.
    func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.fileBytes)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Writes a number or a word to a file in /sys.
    func set(_ path: String, to text: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }

    /// Writes a world-readable file completely or not at all, even if power fails. Makes its directory.
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
        guard try removeFile(path) else { return }
        // Removes the directory only if it is empty. Either setup made it, or nothing needs it.
        rmdir(Self.directory(of: path))
    }

    /// Removes the file but not its directory. Returns whether the file existed.
    @discardableResult
    func removeFile(_ path: String) throws(SetupFailure) -> Bool {
        guard unlink(path) == 0 else {
            // The file does not exist. Its directory may be missing too, so it is not synced.
            if errno == ENOENT { return false }
            throw SetupFailure(writing: path, errno)
        }
        try sync(Self.directory(of: path))
        return true
    }

    /// Makes the directory and its parents, independent of the administrator's umask.
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

/// The reason why a step failed.
struct SetupFailure: Error, Equatable {
    let text: String

    init(_ text: String) { self.text = text }

    init(writing path: String, _ number: Int32) {
        text = "\(SystemError(code: number, attempt: "write \(path)"))"
    }
}
