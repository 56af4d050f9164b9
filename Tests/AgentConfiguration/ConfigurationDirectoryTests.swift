import Glibc
import Testing

@testable import AgentConfiguration

/// A temporary directory with boxagent.toml and, if a test adds parts, conf.d. `deinit` removes the directory.
private final class Site {
    let path: String
    var main: String { path + "/boxagent.toml" }
    var directory: String { path + "/conf.d" }

    init(_ text: String = "") throws {
        var template = Array("/tmp/boxagent-configuration-XXXXXX".utf8CString)
        let made = mkdtemp(&template)
        try #require(made != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try write(text, path + "/boxagent.toml", mode: 0o644)
    }

    func put(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        try #require(mkdir(directory, 0o755) == 0 || errno == EEXIST)
        try write(text, directory + "/" + name, mode: mode)
    }

    private func write(_ text: String, _ file: String, mode: mode_t) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        try #require(fchmod(descriptor, mode) == 0)
    }

    func refusal() -> String {
        do {
            _ = try LoadedConfiguration.read(path: main)
            return "accepted"
        } catch {
            return error.description
        }
    }

    deinit {
        if let stream = opendir(directory) {
            while let entry = readdir(stream) {
                // SAFETY: readdir(3) ends the name with NUL; it is copied before the next call.
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
                unlinkat(dirfd(stream), name.map { CChar(bitPattern: $0) } + [0], 0)
            }
            closedir(stream)
        }
        unlink(directory)
        rmdir(directory)
        unlink(main)
        rmdir(path)
    }
}

@Suite("Files of conf.d")
struct ConfigurationDirectoryTests {
    @Test("They override the administrator's file key by key, in the order of their names")
    func order() throws {
        let site = try Site("[login]\nhold_seconds = 5\nverdict_seconds = 50\n[pin]\ndelays = true\n")
        try site.put("90-last.toml", "[login]\nhold_seconds = 7\n")
        try site.put("10-first.toml", "[login]\nhold_seconds = 6\nverdict_seconds = 61\n")
        let loaded = try LoadedConfiguration.read(path: site.main)
        #expect(loaded.configuration.login.holdSeconds == 7)
        #expect(loaded.configuration.login.verdictSeconds == 61)
        #expect(loaded.configuration.pin.delays)
        #expect(loaded.files == [site.main, site.directory + "/10-first.toml", site.directory + "/90-last.toml"])
        let origins = try #require(loaded.origins["login.hold_seconds"])
        #expect(origins.map(\.path) == loaded.files)
        #expect(origins.map(\.line) == [2, 2, 2])
        #expect(loaded.origins["limits.links"] == nil)
    }

    @Test("Only names that end with .toml and begin with no dot are read")
    func names() throws {
        let site = try Site()
        for name in ["README", "x.toml.dpkg-old", "x.toml~", ".hidden.toml", ".toml", "toml"] {
            try site.put(name, "this is no TOML")
        }
        #expect(try LoadedConfiguration.read(path: site.main).files == [site.main])
    }

    @Test("A file that is no TOML, unreadable or everybody's is refused by its name, and so is the whole")
    func refused() throws {
        let site = try Site("[login]\nhold_seconds = 99\n")
        try site.put("10-a.toml", "[login\n")
        try site.put("20-b.toml", "[login]\nnonsense = 1\n", mode: 0o666)
        let lines = site.refusal().split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("\(site.main):2: login.hold_seconds is out of range"))
        #expect(lines[1].hasPrefix("\(site.directory)/10-a.toml:1: is not TOML"))
        #expect(lines[2].hasPrefix("\(site.directory)/20-b.toml: is writable by every user"))
    }

    @Test("A file of another user is refused", .enabled(if: geteuid() == 0))
    func foreign() throws {
        let site = try Site()
        try site.put("10-a.toml", "")
        try #require(chown(site.directory + "/10-a.toml", 12_345, 12_345) == 0)
        #expect(site.refusal().contains("10-a.toml: must belong to root or to the user who reads it"))
        unlink(site.directory + "/10-a.toml")
        try #require(chown(site.directory, 12_345, 12_345) == 0)
        #expect(site.refusal().contains("conf.d: must belong to root"))
    }

    @Test("A directory into which everybody may write, and a file in its place, are refused")
    func directory() throws {
        let site = try Site()
        try site.put("10-a.toml", "")
        try #require(chmod(site.directory, 0o757) == 0)
        #expect(site.refusal().contains("conf.d: is writable by every user of this machine; run: chmod o-w"))
        unlink(site.directory + "/10-a.toml")
        rmdir(site.directory)
        close(open(site.directory, O_WRONLY | O_CREAT, 0o644))
        #expect(site.refusal().contains("conf.d: cannot be read: Not a directory"))
    }

    @Test("More than 64 files are refused; 64 are read")
    func many() throws {
        let site = try Site()
        for number in 100..<164 { try site.put("\(number).toml", "[login]\nhold_seconds = 9\n") }
        #expect(try LoadedConfiguration.read(path: site.main).files.count == 65)
        try site.put("164.toml", "")
        #expect(site.refusal().contains("conf.d: has more than 64 files"))
    }

    @Test("A contradiction between two files is told at the one that was read last")
    func contradiction() throws {
        let site = try Site("[auto_logout]\nminimum_seconds = 600\n")
        try site.put("10-a.toml", "\n\n[auto_logout]\nmaximum_seconds = 300\n")
        #expect(site.refusal().hasPrefix("\(site.directory)/10-a.toml:4: auto_logout.minimum_seconds is more than"))
    }

    @Test("One key twice in one file is refused, with the line")
    func twice() throws {
        let site = try Site()
        try site.put("10-a.toml", "[login]\nhold_seconds = 6\nhold_seconds = 7\n")
        #expect(site.refusal().hasPrefix("\(site.directory)/10-a.toml:3: is not TOML"))
    }
}
