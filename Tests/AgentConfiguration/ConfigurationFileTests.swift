import Glibc
import Testing

@testable import AgentConfiguration

/// A temporary directory, which `deinit` removes.
private struct Scratch: ~Copyable {
    let path: String

    init() throws {
        var template = Array("/tmp/boxagent-configuration-XXXXXX".utf8CString)
        let made = mkdtemp(&template)
        try #require(made != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func write(_ bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
        let file = path + "/boxagent.toml"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        try #require(fchmod(descriptor, mode) == 0)
        return file
    }

    deinit {
        unlink(path + "/boxagent.toml")
        rmdir(path)
    }
}

@Suite("The configuration file on disk")
struct ConfigurationFileTests {
    private func refusal(_ path: String) -> String {
        do {
            _ = try Configuration.load(path: path)
            return "accepted"
        } catch {
            return error.description
        }
    }

    @Test("A file is read, up to exactly 64 KiB")
    func size() throws {
        let scratch = try Scratch()
        let text = Array("[login]\nhold_seconds = 7\n".utf8)
        let filler = { (count: Int) in [UInt8](repeating: UInt8(ascii: "#"), count: count - text.count) }
        #expect(try Configuration.load(path: try scratch.write(text + filler(65_536))).login.holdSeconds == 7)
        #expect(refusal(try scratch.write(text + filler(65_537))).contains("is larger than 65536 bytes"))
    }

    @Test("A file that is missing, no file, or anybody's to change is refused with what to do")
    func access() throws {
        let scratch = try Scratch()
        #expect(refusal(scratch.path + "/boxagent.toml").contains("cannot be read: No such file or directory; check"))
        #expect(refusal(scratch.path).contains("is not a regular file"))
        #expect(mkfifo(scratch.path + "/boxagent.toml", 0o600) == 0)
        #expect(refusal(scratch.path + "/boxagent.toml").contains("is not a regular file"))
        unlink(scratch.path + "/boxagent.toml")
        let file = try scratch.write([], mode: 0o666)
        #expect(refusal(file) == "\(file): is writable by every user of this machine; run: chmod o-w \(file)")
    }

    @Test("Bytes that are no text are refused with their line")
    func invalidText() throws {
        let scratch = try Scratch()
        #expect(refusal(try scratch.write(Array("[login]\nx = \"".utf8) + [0xFF, 0xFE])).contains(":2: is not TOML"))
        #expect(refusal(try scratch.write([0, 1, 2])).contains(":1: is not TOML"))
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 60_000)
        #expect(refusal(try scratch.write(Array("a = ".utf8) + deep)).contains(":1: is not TOML"))
    }

    @Test("Random changes to the default file are read or refused, and never end the program")
    func mutations() throws {
        let seed = UInt64.random(in: 1...(.max))
        var state = seed
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let uncommented = ConfigurationKey.all.map { "[\($0.section)]\n\($0.example)\n" }.joined()
        var accepted = 0
        for _ in 0..<2_000 {
            var bytes = Array((random(2) == 0 ? ConfigurationText.commentedDefaults : uncommented).utf8)
            for _ in 0..<(1 + random(4)) { bytes[random(bytes.count)] = UInt8(random(256)) }
            if (try? Configuration.parse(bytes, path: "f")) != nil { accepted += 1 }
        }
        #expect(accepted > 0, "seed \(seed)")
        #expect(accepted < 2_000, "seed \(seed)")
    }

    @Test("The shipped file is the table's text, and sets nothing but defaults")
    func shippedFile() throws {
        let sources = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let path = sources + "/packaging/boxagent.toml"
        let file = try #require(fopen(path, "r"), "packaging/boxagent.toml is missing")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        #expect(
            String(decoding: bytes, as: UTF8.self) == ConfigurationText.commentedDefaults,
            "write what boxagentd --print-defaults prints to packaging/boxagent.toml")
        #expect(try Configuration.parse(bytes, path: path) == Configuration())
    }
}
