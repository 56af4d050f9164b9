import PhoneMessages
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("The warning before an automatic logout, on the phone")
struct LogoutWarningTests {
    private static let warning = LogoutWarning(seconds: 60, cause: .closing, canExtend: true)

    private static let open: BoxState = {
        var state = BoxState.quiet
        state.session = .active
        state.user = Array("alice".utf8)
        return state
    }()

    /// A box that sends a warning on a status request, and withdraws it after a tap.
    private static let warns: FakeBox.Script = { message in
        switch message.request {
        case .status:
            [
                (.zero, .logoutWarning(warning)), (.zero, .state(open)),
                (.zero, .result(message.id, .correct, .none)),
            ]
        case .extend:
            [
                (.zero, .state(open)), (.zero, .logoutWarning(nil)),
                (.zero, .result(message.id, .correct, .none)),
            ]
        default: []
        }
    }

    private func asked(
        capabilities: Capabilities, _ script: @escaping FakeBox.Script
    ) throws -> (answer: RequestAnswer, requests: [String]) {
        let fixture = try PhoneFixture()
        return try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.capabilities = capabilities
                $0.script = script
            }
            let before = await box.requests.count
            let answer = try await fixture.phone().extend(BoxTarget(known))
            return (answer, await box.requests.dropFirst(before).map { "\($0)" })
        }
    }

    @Test("A tap puts the logout off, and says what holds then")
    func extends() throws {
        let (answer, requests) = try asked(capabilities: .logoutWarnings, Self.warns)
        #expect(answer == RequestAnswer(outcome: .done, state: Self.open, warning: nil))
        #expect(requests.contains("extend"))
    }

    @Test("A refusal comes with the warning that stands")
    func refused() throws {
        let last = LogoutWarning(seconds: 30, cause: .longest, canExtend: false)
        let (answer, _) = try asked(capabilities: .logoutWarnings) { message in
            switch message.request {
            case .status: [(.zero, .logoutWarning(last)), (.zero, .result(message.id, .correct, .none))]
            default: [(.zero, .state(Self.open)), (.zero, .result(message.id, .notAllowed, .none))]
            }
        }
        #expect(answer == RequestAnswer(outcome: .refused(.notAllowed, .none), state: Self.open, warning: last))
    }

    @Test("A box of before warnings is never asked to put a logout off, which would end its channel")
    func oldBox() throws {
        let (answer, requests) = try asked(capabilities: .boxHeldCredentials, Self.warns)
        #expect(answer.outcome == .refused(.badRequest, .none))
        #expect(!requests.contains("extend"))
    }

    @Test("A watching phone shows the warning, puts the logout off by a tap on the same channel, and shows its end")
    func watched() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.capabilities = .logoutWarnings
                $0.script = Self.warns
            }
            let before = await box.links.count
            let watcher = Watcher(limit: 4)
            let phone = fixture.phone()
            let watch = fixture.watch(known, by: phone, watcher)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(10))
            await phone.tap(.extend, at: BoxTarget(known))
            try await watch.value
            #expect(
                watcher.events == [
                    .state(Self.open), .warning(Self.warning), .acted(.extend, .done), .warning(nil),
                ])
            #expect(await box.links.count - before == 1)
        }
    }

    @Test("A warning that was over when a new channel replaced the old one is taken back")
    func replacedChannel() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change {
                $0.capabilities = .logoutWarnings
                $0.script = Self.warns
            }
            let watcher = Watcher(limit: 3)
            let phone = fixture.phone()
            let watch = fixture.watch(known, by: phone, watcher)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(2_990))
            await box.change {
                $0.script = { [(.zero, .state(Self.open)), (.zero, .result($0.id, .correct, .none))] }
            }
            try await watch.value
            #expect(watcher.events == [.state(Self.open), .warning(Self.warning), .warning(nil)])
        }
    }
}
