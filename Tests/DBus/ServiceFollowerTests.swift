import EventLoop
import Testing

@testable import DBus

@Suite("Following a service on a bus that comes later", .timeLimit(.minutes(14)))
struct ServiceFollowerTests {
    /// The events that the follower reports, in order.
    private final class Told: Sendable {
        private let events = AsyncStream<String>.makeStream()

        func add(_ event: ServiceFollower.Event) {
            let text =
                switch event {
                case .unavailable(.noBus): "no bus"
                case .unavailable(.noService): "no service"
                case .running: "running"
                case .signal: "signal"
                }
            events.continuation.yield(text)
        }

        func next() async -> String {
            for await event in events.stream { return event }
            return "the end"
        }
    }

    private func follower(_ address: String, _ loop: EpollLoop, _ told: Told) throws -> ServiceFollower {
        let root = try #require(ObjectPath("/"))
        let service = ServiceFollower.Service(
            "io.boxagent.Absent", signals: [],
            state: MethodCall(to: "io.boxagent.Absent", root, "io.boxagent", "State"),
            // The next timed retry would come too late for the test, so only the path watch can find the bus.
            longestPause: .seconds(86_400))
        return ServiceFollower(of: service, on: address, loop: loop) { told.add($0) }
    }

    @Test("A missing bus is told once, other files beside it change nothing, and it is found when it comes")
    func comes() async throws {
        let directory = try PrivateBus.makeDirectory()
        try await EpollLoop.withThread { loop in
            let told = Told()
            let follower = try follower("unix:path=\(directory)/bus", loop, told)
            await follower.start()
            #expect(await told.next() == "no bus")
            for _ in 0..<3 { _ = try PathNoise(in: directory) }
            let bus = try PrivateBus(in: directory)
            #expect(await told.next() == "no service")
            bus.stop()
            #expect(await told.next() == "no bus")
            await follower.stop()
        }
    }

    @Test("A bus that is there and cannot be used is tried again")
    func unusable() async throws {
        let directory = try PrivateBus.makeDirectory()
        let noise = try PathNoise(in: directory, named: "bus")
        try await EpollLoop.withThread { loop in
            let told = Told()
            let follower = try follower("unix:path=\(directory)/bus", loop, told)
            await follower.start()
            for _ in 0..<3 { #expect(await told.next() == "no bus") }
            noise.remove()
            let bus = try PrivateBus(in: directory)
            var event = await told.next()
            while event == "no bus" { event = await told.next() }
            #expect(event == "no service")
            await follower.stop()
            bus.stop()
        }
    }

    @Test("Only a socket's path is waited for by its directory")
    func paths() {
        #expect(BusAddress.socketPath("unix:path=/run/dbus/system_bus_socket") == "/run/dbus/system_bus_socket")
        let others = ["abstract=/tmp/x", "path=/a,guid=1", "path=/a;tcp:host=x", "path=%2f"].map { "unix:" + $0 }
        for other in others + ["tcp:host=x"] { #expect(BusAddress.socketPath(other) == nil) }
    }
}
