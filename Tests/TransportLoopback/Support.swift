import EventLoop
import Glibc
import Links
import MessageLinks
import Transport

@testable import TransportLoopback

struct TestFailure: Error { let text: String }

struct LoopTime: LinkClock {
    let loop: EpollLoop
    func now() -> Duration { loop.now() }
    func sleep(until deadline: Duration) async throws(CancellationError) { try await loop.sleep(until: deadline) }
}

/// A separate air for one test.
final class Air: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/boxagent-air-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure(text: "mkdtemp: errno \(errno)") }
        // SAFETY: mkdtemp leaves the NUL in its place.
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        for name in Directories.names(in: path, limit: 1_000) { unlink(path + "/" + name) }
        rmdir(path)
    }
}

/// A box that is switched on and sends every message back.
struct EchoBox: Sendable {
    let radio: LoopbackPeripheral
    let serving: Task<Void, Never>

    init(_ name: String, in air: Air, on loop: EpollLoop, identity: [UInt8] = [1]) async throws {
        let radio = LoopbackPeripheral(loop: loop, airDirectory: air.path)
        try await radio.start(identity: identity, name: name)
        await radio.setAdvertising(.fast)
        self.radio = radio
        serving = loop.spawn {
            while let link = try? await radio.accept() {
                loop.spawn {
                    let messages = MessageLink(
                        link: link, clock: LoopTime(loop: loop), executor: loop,
                        messageLimit: Segmentation.messageBytes)
                    while let message = try? await messages.receive(until: loop.now() + .seconds(60)) {
                        guard (try? await messages.send(message)) != nil else { break }
                    }
                    await messages.close()
                }
            }
        }
    }

    func stop() async {
        await radio.stop()
        await serving.value
    }
}

extension LoopbackCentral {
    /// Returns the address of the first box that shows this name.
    func find(_ name: String, for duration: Duration = .seconds(10)) async throws -> String? {
        let found = Found()
        try await scan(for: duration) { advertisement in
            guard advertisement.name == name else { return false }
            await found.set(advertisement.address)
            return true
        }
        return await found.address
    }
}

extension LoopbackCentral {
    /// Connects, and returns the link with all its GATT operations.
    func link(to address: String) async throws(LinkError) -> LoopbackCentralLink {
        guard let link = try await connect(to: address) as? LoopbackCentralLink else {
            throw .radio("the connection is of another kind")
        }
        return link
    }
}

private actor Found {
    private(set) var address: String?
    func set(_ address: String) { self.address = address }
}

/// Returns the error that `body` throws, or nil.
func failure(_ body: () async throws(LinkError) -> Void) async -> LinkError? {
    do throws(LinkError) {
        try await body()
        return nil
    } catch {
        return error
    }
}
