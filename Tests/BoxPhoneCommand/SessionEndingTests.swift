import PhoneMessages
import Testing

@testable import BoxPhoneCommand

@Suite("Why a watched session ended")
struct SessionEndingTests {
    private static let start: Duration = .seconds(1_000)

    private func warned(_ cause: LogoutWarning.Cause) -> SessionEnding {
        var ending = SessionEnding()
        ending.warned(LogoutWarning(seconds: 60, cause: cause, canExtend: true), at: Self.start)
        return ending
    }

    @Test("Each cause that the box announced is the reason from the announced moment on", arguments: causes)
    func announced(cause: LogoutWarning.Cause) {
        for seconds in [58, 60, 100] {
            var ending = warned(cause)
            #expect(ending.ended(at: Self.start + .seconds(seconds)) == cause.sentence)
        }
    }

    private static let causes = LogoutWarning.Cause.allCases

    @Test("A session that ends long before the announced moment, or long after, ended for another reason")
    func otherwise() {
        var early = warned(.closing)
        #expect(early.ended(at: Self.start + .seconds(20)) == nil)
        var late = warned(.closing)
        #expect(late.ended(at: Self.start + .seconds(60) + SessionEnding.endingLimit) == nil)
    }

    @Test("A warning that is withdrawn at the very end is still the reason, one that was withdrawn before is not")
    func withdrawn() {
        var ending = warned(.idle)
        ending.warned(nil, at: Self.start + .seconds(60))
        #expect(ending.isDue(at: Self.start + .seconds(60)))
        #expect(ending.ended(at: Self.start + .seconds(90)) == LogoutWarning.Cause.idle.sentence)
        var before = warned(.longest)
        before.warned(nil, at: Self.start + .seconds(30))
        #expect(!before.isDue(at: Self.start + .seconds(60)))
        #expect(before.ended(at: Self.start + .seconds(61)) == nil)
    }

    @Test("What was put off at the last moment is no reason")
    func extended() {
        var ending = warned(.longest)
        ending.extended()
        ending.warned(nil, at: Self.start + .seconds(60))
        #expect(ending.ended(at: Self.start + .seconds(61)) == nil)
    }

    @Test("A logout from the phone is the reason, whatever was announced, and not for the next session")
    func loggedOut() {
        var ending = warned(.closing)
        ending.loggedOut(at: Self.start + .seconds(10))
        #expect(ending.ended(at: Self.start + .seconds(11)) == "because you logged out from this phone")
        #expect(ending.ended(at: Self.start + .seconds(30)) == nil)
    }

    @Test("Where the box announced nothing, nothing is said")
    func silent() {
        var ending = SessionEnding()
        #expect(ending.ended(at: Self.start) == nil)
    }
}
