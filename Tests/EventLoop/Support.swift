import Glibc

@testable import EventLoop

/// SplitMix64, a small seeded generator that is good enough to vary tests.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

struct TestFailure: Error { let text: String }

/// A directory for one test, which is removed afterwards.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/boxagent-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure(text: "mkdtemp: errno \(errno)") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        for name in Directories.names(in: path, limit: 1_000) { unlink(path + "/" + name) }
        rmdir(path)
    }
}

/// Returns the directory of the test bundle, which also contains the programs of the same build.
func buildDirectory() throws -> String {
    guard let maps = fopen("/proc/self/maps", "r") else { throw TestFailure(text: "no /proc/self/maps") }
    defer { fclose(maps) }
    var line = [CChar](repeating: 0, count: 4_096)
    while fgets(&line, Int32(line.count), maps) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard text.contains("PackageTests.xctest"), let start = text.firstIndex(of: "/"),
            let end = text.lastIndex(of: "/")
        else { continue }
        return String(text[start..<end])
    }
    throw TestFailure(text: "the test bundle is not mapped")
}
