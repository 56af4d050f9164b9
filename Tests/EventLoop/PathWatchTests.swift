import Glibc
import Testing

@testable import EventLoop

@Suite("A watch for a path that is not there yet", .timeLimit(.minutes(14)))
struct PathWatchTests {
    private func make(_ path: String) throws {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
    }

    @Test("It tells of a file that is made in the directory")
    func made() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/bus"
        try await EpollLoop.withThread { loop in
            let watch = try #require(PathWatch(above: path, on: loop))
            #expect(!PathWatch.exists(path))
            try make(path)
            await watch.wait()
            #expect(PathWatch.exists(path))
        }
    }

    @Test("It tells of the directory that the file will be in")
    func directoryMade() async throws {
        let directory = try TemporaryDirectory()
        let (inner, path) = (directory.path + "/dbus", directory.path + "/dbus/deeper/bus")
        defer { rmdir(inner) }
        try await EpollLoop.withThread { loop in
            let watch = try #require(PathWatch(above: path, on: loop))
            #expect(mkdir(inner, 0o700) == 0)
            await watch.wait()
        }
    }

    @Test("A task that is cancelled waits no longer")
    func cancelled() async throws {
        let directory = try TemporaryDirectory()
        try await EpollLoop.withThread { loop in
            let watch = try #require(PathWatch(above: directory.path + "/bus", on: loop))
            let waiting = loop.spawn { await watch.wait() }
            waiting.cancel()
            await waiting.value
        }
    }

    @Test("A path that is not absolute is not watched", arguments: ["", "bus", "./bus"])
    func relative(path: String) async throws {
        try await EpollLoop.withThread { loop in #expect(PathWatch(above: path, on: loop) == nil) }
    }
}
