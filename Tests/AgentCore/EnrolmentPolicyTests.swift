import AgentConfiguration
import ControlProtocol
import Testing

@testable import AgentCore

@Suite("Which pages may be enrolled")
struct EnrolmentPolicyTests {
    private func page(_ change: (inout EnrolmentWish) -> Void = { _ in }) -> EnrolmentWish {
        var wish = EnrolmentWish(user: Array("alice".utf8), credential: .boxHeld, isWeb: true)
        change(&wish)
        return wish
    }

    private func kind(_ reply: ControlReply?) -> FailureKind? {
        if case .failure(let kind, _, _)? = reply { kind } else { nil }
    }

    @Test("A page whose password the box keeps is enrolled")
    func page() {
        #expect(EnrolmentPolicy.refusal(of: page(), Configuration()) == nil)
    }

    @Test("A page keeps no password")
    func phoneHeld() {
        #expect(kind(EnrolmentPolicy.refusal(of: page { $0.credential = .phoneHeld }, Configuration())) == .invalid)
    }

    @Test("Where the administrator wants no pages there are none, whatever is forced; other phones there are")
    func policy() {
        var configuration = Configuration()
        configuration.enrolment.allowWeb = false
        #expect(kind(EnrolmentPolicy.refusal(of: page { $0.isForced = true }, configuration)) == .notPermitted)
        #expect(EnrolmentPolicy.refusal(of: page { $0.isWeb = false }, configuration) == nil)
    }

    @Test("Where every phone is missed a page is enrolled by force only")
    func requiredPhones() {
        var configuration = Configuration()
        configuration.presence.requirePhone = true
        #expect(kind(EnrolmentPolicy.refusal(of: page(), configuration)) == .notPermitted)
        #expect(EnrolmentPolicy.refusal(of: page { $0.isForced = true }, configuration) == nil)
        #expect(EnrolmentPolicy.refusal(of: page { $0.isWeb = false }, configuration) == nil)
    }
}
