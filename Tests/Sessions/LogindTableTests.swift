import AgentCore
import DBus
import Testing

@testable import Sessions

@Suite("The table of logind's sessions")
struct LogindTableTests {
    private let path: ObjectPath

    init() throws {
        path = try #require(ObjectPath("/org/freedesktop/login1/session/_31"))
    }

    private func properties(locked: Bool) -> [String: DBusValue] {
        [
            "Class": .string("user"), "Type": .string("wayland"), "LockedHint": .boolean(locked),
            "TimestampMonotonic": .uint64(7),
        ]
    }

    private func table(locked: Bool) -> LogindTable {
        var table = LogindTable()
        let look = table.beginLook(at: path)
        _ = table.endLook(look, "1", properties(locked: locked))
        return table
    }

    @Test("A session appears once its properties have come")
    func appears() {
        var table = LogindTable()
        let look = table.beginLook(at: path)
        #expect(table.sessions.isEmpty)
        let events = table.endLook(look, "1", properties(locked: true))
        #expect(events == table.sessions["1"].map { [.appeared($0)] })
        #expect(table.sessions["1"]?.isLocked == true)
    }

    @Test("What is signalled while a new session's answer is on its way is not lost")
    func changeOfNew() {
        var table = LogindTable()
        let look = table.beginLook(at: path)
        #expect(table.change(path, ["Class": .string("greeter")]) == nil)
        #expect(table.change(path, ["LockedHint": .boolean(true)]) == nil)
        _ = table.endLook(look, "1", properties(locked: false))
        #expect(table.sessions["1"]?.sessionClass == "greeter")
        #expect(table.sessions["1"]?.isLocked == true)
    }

    @Test("An answer does not take back what was signalled after it was asked for")
    func staleAnswer() {
        var table = table(locked: false)
        let look = table.beginLook(at: path)
        #expect(table.change(path, ["LockedHint": .boolean(true)]) != nil)
        #expect(table.endLook(look, "1", properties(locked: false)).isEmpty)
        #expect(table.sessions["1"]?.isLocked == true)
        // The answer to a second request counts, because the signal is older than that request.
        let next = table.beginLook(at: path)
        #expect(table.endLook(next, "1", properties(locked: false)).count == 1)
        #expect(table.sessions["1"]?.isLocked == false)
    }

    @Test("A session that ends while its answer is on its way stays gone")
    func endsMeanwhile() throws {
        var table = table(locked: false)
        let session = try #require(table.sessions["1"])
        let look = table.beginLook(at: path)
        #expect(table.remove("1", path) == .removed(session))
        #expect(table.endLook(look, "1", properties(locked: false)).isEmpty)
        #expect(table.sessions.isEmpty)
        var fresh = LogindTable()
        let first = fresh.beginLook(at: path)
        #expect(fresh.remove("1", path) == .removed(LogindSession(id: "1")))
        #expect(fresh.endLook(first, "1", properties(locked: false)).isEmpty)
        #expect(fresh.sessions.isEmpty)
    }

    @Test("However many sessions somebody opens without a seat, one at a seat is followed")
    func full() throws {
        var table = LogindTable()
        for number in 0..<LogindTable.sessionLimit + 10 {
            let path = try #require(ObjectPath("/org/freedesktop/login1/session/_\(number)"))
            let look = table.beginLook(at: path)
            _ = table.endLook(look, "\(number)", properties(locked: false))
        }
        #expect(table.sessions.count == LogindTable.sessionLimit)
        var greeter = properties(locked: false)
        greeter["Seat"] = .structure([.string("seat0"), .objectPath(path)])
        let look = table.beginLook(at: path)
        let events = table.endLook(look, "greeter", greeter)
        #expect(events.count == 2 && events.last == table.sessions["greeter"].map { .appeared($0) })
        #expect(table.sessions.count == LogindTable.sessionLimit)
    }

    @Test("Of more sessions than are followed, those at a seat are asked for first")
    func listing() {
        let rows = (0..<LogindTable.sessionLimit + 10).map { number in
            DBusValue.structure([
                .string("\(number)"), .uint32(1), .string("u"),
                .string(number == LogindTable.sessionLimit ? "seat0" : ""),
                .objectPath(path),
            ])
        }
        let listed = LogindTable.listed(.array(of: "(susso)", rows))
        #expect(listed.count == LogindTable.sessionLimit)
        #expect(listed.first?.id == "\(LogindTable.sessionLimit)")
    }

    @Test("A session of which no answer comes changes nothing")
    func noAnswer() {
        var table = table(locked: true)
        let look = table.beginLook(at: path)
        #expect(table.endLook(look, "1", nil).isEmpty)
        #expect(table.sessions["1"]?.isLocked == true)
    }
}
