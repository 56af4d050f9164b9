import EventLoop
import Glibc
import Testing

@testable import DBus

/// The events on the loop, in order.
private final class Record: Sendable {
    private let values = AsyncStream<String>.makeStream()
    func add(_ text: String) { values.continuation.yield(text) }
    func next() async -> String {
        for await value in values.stream { return value }
        return "the end"
    }
}

@Suite("A connection to a real dbus-daemon", .timeLimit(.minutes(14)))
struct ConnectionTests {
    private static let name = "io.boxagent.Test"
    private static let interface = "io.boxagent.Test1"

    /// Runs `body` with two programs on one bus. The first owns `name`.
    private func withPair<Result: Sendable>(
        on bus: PrivateBus? = nil,
        _ body: @escaping @Sendable (DBusConnection, DBusConnection, ObjectPath, EpollLoop) async throws -> Result
    ) async throws -> Result {
        let bus = try bus ?? PrivateBus()
        return try await EpollLoop.withThread { loop in
            let server = try await DBusConnection.open(bus.address, on: loop)
            let client = try await DBusConnection.open(bus.address, on: loop)
            guard let path = ObjectPath("/io/boxagent/test"), let root = ObjectPath("/org/freedesktop/DBus") else {
                throw TestFailure(text: "a path")
            }
            let arguments: [DBusValue] = [.string(Self.name), .uint32(0)]
            _ = try await server.call(
                MethodCall(to: DBusConnection.bus, root, DBusConnection.bus, "RequestName", arguments))
            let result = try await body(server, client, path, loop)
            await server.close()
            await client.close()
            return result
        }
    }

    /// Makes the client's name known to the server. The server then offers its objects to the client.
    private func introduce(_ client: DBusConnection, to server: DBusConnection) async throws {
        guard let root = ObjectPath("/org/freedesktop/DBus") else { return }
        let arguments: [DBusValue] = [.string("io.boxagent.Caller"), .uint32(0)]
        _ = try await client.call(
            MethodCall(to: DBusConnection.bus, root, DBusConnection.bus, "RequestName", arguments))
        _ = try await server.watchOwner(of: "io.boxagent.Caller") { _ in }
    }

    private static func echo() -> ExportedInterface {
        ExportedInterface(
            interface, methods: ["Echo": .init("ayva{sv}") { .values($0.arguments) }],
            properties: { [("Answer", .uint16(42))] })
    }

    @Test("Values of every kind come back as they were sent")
    func echoes() async throws {
        let same = try await withPair { server, client, path, _ in
            try await introduce(client, to: server)
            await server.export(path, to: "io.boxagent.Caller", [Self.echo()])
            let everything = DBusValue.structure([
                .byte(1), .boolean(true), .int16(-2), .uint16(3), .int32(-4), .uint32(5), .int64(-6), .uint64(7),
                .double(0.5), .string("é"), .objectPath(path), .signature("a{sv}"), .array(of: "(s)", []),
                .array(of: "ai", [.array(of: "i", [.int32(1)])]),
            ])
            let values: [DBusValue] = [
                .bytes((0...255).map { UInt8($0) }), .variant(everything), .properties([("k", .bytes([]))]),
            ]
            let call = MethodCall(to: Self.name, path, Self.interface, "Echo", values)
            return try await client.call(call) == values
        }
        #expect(same)
    }

    @Test("A descriptor is handed over, and works")
    func descriptors() async throws {
        let text = try await withPair { server, client, path, loop in
            try await introduce(client, to: server)
            let (own, other) = try SeqPacketConnection.withOtherEnd(on: loop)
            let interface = ExportedInterface(
                Self.interface, methods: ["Take": .init("") { _ in .values([.descriptor(OwnedDescriptor(other))]) }])
            await server.export(path, to: "io.boxagent.Caller", [interface])
            let answer = try await client.call(MethodCall(to: Self.name, path, Self.interface, "Take"))
            guard let descriptor = answer.first?.ownedDescriptor?.take() else {
                throw TestFailure(text: "no descriptor")
            }
            let received = try SeqPacketConnection.adopting(descriptor, on: loop)
            try await own.send([1, 2, 3])
            return try await received.receive(limit: 10)
        }
        #expect(text == [1, 2, 3])
    }

    @Test("Properties and objects are told as the standard interfaces say")
    func standardInterfaces() async throws {
        let (answer, managed) = try await withPair { server, client, path, _ in
            try await introduce(client, to: server)
            await server.export(path, to: "io.boxagent.Caller", [Self.echo()])
            let get = MethodCall(
                to: Self.name, path, "org.freedesktop.DBus.Properties", "Get",
                [.string(Self.interface), .string("Answer")])
            let list = MethodCall(
                to: Self.name, .root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
            let managed = try await client.call(list).first?.dictionary?[path.text]?.dictionary
            return (try await client.call(get).first?.integer, managed?[Self.interface]?.dictionary)
        }
        #expect(answer == 42)
        #expect(managed == ["Answer": .uint16(42)])
    }

    @Test("Calls of strangers, unknown methods and wrong arguments are answered with errors")
    func refusals() async throws {
        let errors = try await withPair { server, client, path, _ in
            await server.export(path, to: "io.boxagent.Caller", [Self.echo()])
            var errors: [String?] = []
            func call(_ member: String, _ arguments: [DBusValue]) async {
                do throws(DBusError) {
                    _ = try await client.call(MethodCall(to: Self.name, path, Self.interface, member, arguments))
                    errors.append(nil)
                } catch {
                    errors.append(error.replyName?.split(separator: ".").last.map(String.init))
                }
            }
            await call("Echo", [])
            try await introduce(client, to: server)
            await call("Nothing", [])
            await call("Echo", [.string("x")])
            return errors
        }
        #expect(errors == ["AccessDenied", "UnknownMethod", "InvalidArgs"])
    }

    @Test("A call that is not answered ends in time, and its late answer harms nobody")
    func timeOut() async throws {
        let error = try await withPair { server, client, path, loop in
            try await introduce(client, to: server)
            let interface = ExportedInterface(Self.interface, methods: ["Wait": .init("") { _ in .later }])
            await server.export(path, to: "io.boxagent.Caller", [interface])
            do throws(DBusError) {
                let call = MethodCall(to: Self.name, path, Self.interface, "Wait")
                _ = try await client.call(call, timeout: .milliseconds(50))
                return DBusError?.none
            } catch {
                return error
            }
        }
        #expect(error == .timedOut)
    }

    @Test("A signal that a stranger sends to one program is not taken for its name's owner's")
    func forgedSignals() async throws {
        let bus = try PrivateBus()
        let (first, second) = try await withPair(on: bus) { server, client, path, loop in
            let record = Record()
            _ = try await client.watchOwner(of: Self.name) { _ in }
            let rule = SignalRule(sender: Self.name, interface: Self.interface, member: "Said")
            _ = try await client.subscribe(rule) { record.add($0.arguments.first?.text ?? "") }
            try bus.sendSignal(to: await client.uniqueName, path.text, Self.interface + ".Said", "forged")
            try await server.emit(path, Self.interface, "Said", [.string("true")])
            try await server.emit(path, Self.interface, "Said", [.string("last")])
            return (await record.next(), await record.next())
        }
        #expect(first == "true")
        #expect(second == "last")
    }

    @Test("The owner of a name is told at once, when it goes and when another comes")
    func owners() async throws {
        let told = try await withPair { server, client, _, loop in
            let record = Record()
            _ = try await client.watchOwner(of: Self.name) { record.add($0 == nil ? "nobody" : "somebody") }
            var told = [await record.next()]
            await server.close()
            told.append(await record.next())
            return told
        }
        #expect(told == ["somebody", "nobody"])
    }

    @Test("A name that is taken in the very moment of the question has its owner, however the two fall")
    func takenMeanwhile() async throws {
        let lost = try await withPair { server, client, path, loop in
            guard let root = ObjectPath("/org/freedesktop/DBus") else { throw TestFailure(text: "a path") }
            var lost: [Int] = []
            for turn in 0..<300 {
                let name = "io.boxagent.Late\(turn)"
                let request = MethodCall(
                    to: DBusConnection.bus, root, DBusConnection.bus, "RequestName", [.string(name), .uint32(0)])
                let record = Record()
                let taking = loop.spawn {
                    for _ in 0..<(turn % 12) { await Task.yield() }
                    _ = try? await server.call(request)
                }
                _ = try await client.watchOwner(of: name) { record.add($0 == nil ? "nobody" : "somebody") }
                await taking.value
                // After the replies to these calls, all earlier messages of the bus have arrived at this connection.
                let question = MethodCall(to: DBusConnection.bus, root, DBusConnection.bus, "GetId")
                _ = try await client.call(question)
                _ = try await client.call(question)
                record.add("end")
                var last = ""
                while case let told = await record.next(), told != "end" { last = told }
                if last != "somebody" { lost.append(turn) }
            }
            return lost
        }
        #expect(lost == [])
    }

    @Test("When the bus ends, who waits is told, and so is who calls afterwards")
    func busEnds() async throws {
        let bus = try PrivateBus()
        let errors = try await EpollLoop.withThread { loop in
            let connection = try await DBusConnection.open(bus.address, on: loop)
            bus.stop()
            await connection.waitUntilEnded()
            do throws(DBusError) {
                _ = try await connection.call(MethodCall(to: Self.name, .root, Self.interface, "Echo"))
                return DBusError?.none
            } catch {
                return error
            }
        }
        #expect(errors == .disconnected)
    }

    @Test(
        "A bus that is not there is named", arguments: ["unix:path=/nonexistent/bus", "rubbish", "tcp:host=x,port=0"])
    func noBus(address: String) async throws {
        let isUnreachable = try await EpollLoop.withThread { loop in
            do throws(DBusError) {
                _ = try await DBusConnection.open(address, on: loop)
                return false
            } catch .unreachable {
                return true
            } catch {
                return false
            }
        }
        #expect(isUnreachable)
    }

    @Test("What no message may carry is refused before libdbus sees it")
    func invalidArguments() async throws {
        let refused = try await withPair { _, client, path, _ in
            var refused = 0
            let calls = [
                MethodCall(to: "no name", path, Self.interface, "Echo"), MethodCall(to: Self.name, path, "x", "Echo"),
                MethodCall(to: Self.name, path, Self.interface, "with space"),
                MethodCall(to: Self.name, path, Self.interface, "Echo", [.string("a\u{0}b")]),
                MethodCall(to: Self.name, path, Self.interface, "Echo", [.signature("{")]),
                MethodCall(to: Self.name, path, Self.interface, "Echo", [.array(of: "s", [.byte(1)])]),
            ]
            for call in calls {
                do throws(DBusError) {
                    _ = try await client.call(call)
                } catch {
                    if case .invalidArgument = error { refused += 1 }
                }
            }
            return refused == calls.count
        }
        #expect(refused)
    }
}
