import PhoneMessages
import Secrets
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("Watching a box")
struct WatchTests {
    private static let locked: BoxState = {
        var state = BoxState.quiet
        state.session = .locked
        state.user = Array("alice".utf8)
        return state
    }()

    @Test("The state comes at once, and again when the box pushes a change")
    func pushes() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.script = { message in
                    [
                        (.zero, .state(.quiet)), (.zero, .result(message.id, .correct, .none)),
                        (.seconds(5), .state(.quiet)), (.seconds(5), .state(WatchTests.locked)),
                    ]
                }
            }
            let watcher = Watcher(limit: 2)
            try await fixture.phone().watch(BoxTarget(known), fixture.interaction) { watcher.take($0) }
            #expect(watcher.events == [.state(.quiet), .state(WatchTests.locked)])
        }
    }

    @Test("A lost link is told, and made anew after pauses that grow to a bound")
    func comesBack() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.script = { [(.zero, .state(.quiet)), (.zero, .result($0.id, .correct, .none))] }
            }
            let watcher = Watcher(limit: 14)
            let air = fixture.air
            try await fixture.phone().watch(BoxTarget(known), fixture.interaction) { event in
                if watcher.events.isEmpty {
                    air.clear()
                    await box.closeLinks()
                }
                return watcher.take(event)
            }
            let pauses = watcher.events.compactMap { if case .lost(_, let pause) = $0 { pause } else { nil } }
            #expect(pauses.count == 13)
            #expect(pauses.first == .milliseconds(250))
            #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $1 == min($0 * 2, .seconds(30)) })
        }
    }

    @Test("A watch of hours keeps its channel alive, and replaces it before it is too old")
    func longWatch() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.script = { [(.zero, .state(.quiet)), (.zero, .result($0.id, .correct, .none))] }
            }
            let before = await box.links.count
            let watcher = Watcher(limit: 1_000)
            let watch = fixture.watch(known, by: fixture.phone(), watcher)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(3 * 3_600))
            watch.cancel()
            await #expect(throws: PhoneError.cancelled) { try await watch.value }
            let losses = watcher.events.filter { if case .lost = $0 { true } else { false } }
            #expect(losses.isEmpty)
            #expect(await box.links.count - before == 4)
        }
    }

    @Test("A revocation while watching ends it, and destroys all that the phone keeps for the box")
    func revoked() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.script = {
                    [(.zero, .state(.quiet)), (.zero, .result($0.id, .correct, .none)), (.seconds(9), .revoked)]
                }
            }
            await #expect(throws: PhoneError.revoked(boxID: "1234")) {
                try await fixture.phone().watch(BoxTarget(known), fixture.interaction) { _ in true }
            }
            #expect(try await fixture.phone().boxes().isEmpty)
        }
    }

    @Test("A box that refuses the phone is not asked for ever")
    func refused() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change { $0.devices = [] }
            await #expect(throws: PhoneError.notAccepted(boxID: "1234")) {
                try await fixture.phone().watch(BoxTarget(known), fixture.interaction) { _ in true }
            }
        }
    }

    /// Watches a box for 60 s. Returns its signal reports and the events.
    private func watchForAMinute(
        _ capabilities: Capabilities
    ) throws -> (reports: [Int?], events: [WatchEvent]) {
        let fixture = try PhoneFixture()
        return try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.capabilities = capabilities
                $0.script = { message in
                    guard case .status = message.request else { return [] }
                    return [
                        (.zero, .state(.quiet)), (.zero, .result(message.id, .correct, .none)),
                        (.zero, .offer(.unlock)),
                    ]
                }
            }
            let watcher = Watcher(limit: 1_000)
            let watch = fixture.watch(known, by: fixture.phone(), watcher)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(60))
            watch.cancel()
            await #expect(throws: PhoneError.cancelled) { try await watch.value }
            let reports: [Int?] = await box.requests.compactMap {
                if case .reportSignal(let dBm) = $0 { .some(dBm) } else { nil }
            }
            return (reports, watcher.events)
        }
    }

    @Test("A watching phone reports its signal once a second, and hands on what the box offers")
    func reports() throws {
        let (reports, events) = try watchForAMinute([.boxHeldCredentials, .presence])
        #expect((55...61).contains(reports.count))
        #expect(reports.allSatisfy { $0 == -63 })
        #expect(events.prefix(2) == [.state(.quiet), .offer(.unlock)])
    }

    @Test("Reports go on while an answer is waited for: a slow login must not look like a phone that has gone")
    func reportsMeanwhile() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.capabilities = .presence
                $0.script = { message in
                    switch message.request {
                    case .status: [(.zero, .state(.quiet)), (.zero, .result(message.id, .correct, .none))]
                    case .lock: [(.seconds(30), .result(message.id, .correct, .none))]
                    default: []
                    }
                }
            }
            let watcher = Watcher(limit: 2)
            let phone = fixture.phone()
            let watch = fixture.watch(known, by: phone, watcher)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(5))
            await phone.tap(.lock, at: BoxTarget(known))
            try await watch.value
            #expect(watcher.events == [.state(.quiet), .acted(.lock, .done)])
            let reports = await box.requests.count { if case .reportSignal = $0 { true } else { false } }
            #expect((30...37).contains(reports))
        }
    }

    @Test("A box of before presence is never sent a report, which would end its channel")
    func oldBox() throws {
        let (reports, events) = try watchForAMinute(.boxHeldCredentials)
        #expect(reports.isEmpty)
        #expect(!events.contains { if case .lost = $0 { true } else { false } })
    }

    @Test("A tap is asked for at once on the channel that is watched, and the watcher hears what came of it")
    func tap() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.script = { message in
                    switch message.request {
                    case .status: [(.zero, .state(Self.locked)), (.zero, .result(message.id, .correct, .none))]
                    // A message that arrives during the wait for a result must not be lost.
                    case .unlock: [(.zero, .offer(.unlock)), (.zero, .result(message.id, .correct, .none))]
                    default: []
                    }
                }
            }
            let before = await box.links.count
            let watcher = Watcher(limit: 3)
            let phone = fixture.phone()
            let watch = fixture.watch(known, by: phone, watcher)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(10))
            let tapped = fixture.world.now()
            await phone.tap(.unlock, at: BoxTarget(known))
            try await watch.value
            #expect(fixture.world.now() - tapped < .seconds(1))
            #expect(watcher.events == [.state(Self.locked), .acted(.unlock, .done), .offer(.unlock)])
            #expect(await box.links.count - before == 1)
        }
    }
}
