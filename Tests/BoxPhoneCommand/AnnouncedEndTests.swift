import PhoneMessages
import Testing

@testable import BoxPhoneCommand

@Suite("The announced end of a session")
struct AnnouncedEndTests {
    private static let start: Duration = .seconds(1_000)

    private func warned() -> AnnouncedEnd {
        var end = AnnouncedEnd()
        end.warned(LogoutWarning(seconds: 60, cause: .idle, canExtend: true), at: Self.start)
        return end
    }

    @Test("It is due from the announced moment on, until programs have had their time", arguments: [58, 60, 100])
    func due(seconds: Int64) {
        #expect(warned().isDue(at: Self.start + .seconds(seconds)))
    }

    @Test("Long before the announced moment, and long after, it is not due")
    func otherwise() {
        #expect(!warned().isDue(at: Self.start + .seconds(20)))
        #expect(!warned().isDue(at: Self.start + .seconds(60) + AnnouncedEnd.endingLimit))
    }

    @Test("A warning that is withdrawn at the very end leaves it due, one that was withdrawn before does not")
    func withdrawn() {
        var end = warned()
        end.warned(nil, at: Self.start + .seconds(60))
        #expect(end.isDue(at: Self.start + .seconds(61)))
        var before = warned()
        before.warned(nil, at: Self.start + .seconds(30))
        #expect(!before.isDue(at: Self.start + .seconds(60)))
    }

    @Test("What was put off at the last moment is not due")
    func settled() {
        var end = warned()
        end.settled()
        end.warned(nil, at: Self.start + .seconds(60))
        #expect(!end.isDue(at: Self.start + .seconds(61)))
    }
}
