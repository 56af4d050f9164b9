import Secrets
import SecureChannel
import Testing

@testable import SiteLink

@Suite("What box and site say of somebody who enrols a phone of their own")
struct SelfEnrolmentMessageTests {
    private func wish(_ step: SelfEnrolmentWish.Step) throws -> SelfEnrolmentWish {
        try #require(SelfEnrolmentWish(number: 0x0102_0304, step: step))
    }

    private let code = EnrolmentSecret(
        HeldSecret(SecretBytes(copying: [UInt8](repeating: 0x41, count: SiteEnrolmentCode.byteCount))))

    @Test("Each wish comes out as it went in, and a shorter one is none")
    func wishes() throws {
        let user = [UInt8]("alice".utf8)
        let steps: [SelfEnrolmentWish.Step] = [
            .begin(user: user, replacing: []), .begin(user: user, replacing: [UInt8]("7k3m".utf8)),
            .answer(digits: [UInt8]("012345".utf8), accept: true),
            .answer(digits: [UInt8]("999999".utf8), accept: false),
            .end,
        ]
        for step in steps {
            let message = MessageToSite.enrolSelf(try wish(step))
            #expect(try MessageToSite(parsing: message.bytes) == message)
            if case .begin(_, let replacing) = step, !replacing.isEmpty { continue }
            #expect(throws: SiteLinkError.self) { try MessageToSite(parsing: [UInt8](message.bytes.dropLast())) }
        }
    }

    @Test("A wish has a user of 1 to 64 bytes, six digits, and 26 letters of an id at most")
    func bounds() {
        let one = [UInt8]("a".utf8)
        #expect(SelfEnrolmentWish(number: 1, step: .begin(user: [], replacing: [])) == nil)
        #expect(
            SelfEnrolmentWish(number: 1, step: .begin(user: [UInt8](repeating: 97, count: 65), replacing: [])) == nil)
        #expect(
            SelfEnrolmentWish(number: 1, step: .begin(user: one, replacing: [UInt8](repeating: 97, count: 27))) == nil)
        #expect(SelfEnrolmentWish(number: 1, step: .answer(digits: [UInt8]("12345".utf8), accept: true)) == nil)
        #expect(SelfEnrolmentWish(number: 1, step: .answer(digits: [UInt8]("12345x".utf8), accept: true)) == nil)
    }

    @Test("All news come out as they went in, the code in guarded memory, and a byte less is none")
    func news() throws {
        let device = [UInt8](repeating: 9, count: 16)
        let stages: [SelfEnrolmentNews.Stage] = [
            .code(code, seconds: 600), .digits([UInt8]("000000".utf8), phone: []),
            .digits([UInt8]("123456".utf8), phone: [UInt8](repeating: 97, count: 64)),
            .enrolled(device: device, hasReplaced: false), .enrolled(device: device, hasReplaced: true),
            .refused(.phoneLimit, detail: [UInt8](repeating: 97, count: 255)),
        ]
        let refusals = SelfEnrolmentRefusal.allCases.map { SelfEnrolmentNews.Stage.refused($0, detail: []) }
        for stage in stages + refusals {
            let message = MessageFromSite.selfEnrolment(SelfEnrolmentNews(number: 7, stage: stage))
            let sealed = try wanted(message.encoded())
            #expect(try MessageFromSite(opened: sealed) == message)
            #expect(message.bytes.isEmpty)
            switch stage {
            case .digits(_, let phone) where !phone.isEmpty: continue
            case .refused(_, let detail) where !detail.isEmpty: continue
            default: break
            }
            let shorter = sealed.withBytes { SecretBytes(copying: $0.extracting(0..<$0.byteCount - 1)) }
            #expect(throws: SiteLinkError.self) { try MessageFromSite(opened: shorter) }
        }
    }

    @Test("Another refusal, letters for digits, and a name or a detail that is too long are violations")
    func violations() {
        func opened(_ rest: [UInt8]) throws { _ = try MessageFromSite(parsing: [12, 0, 0, 0, 1] + rest) }
        for rest in [
            [5, 0], [5, 12], [2] + [UInt8]("12345x".utf8), [2] + [UInt8](repeating: 0x31, count: 71),
            [5, 1] + [UInt8](repeating: 0x31, count: 256), [6], [],
        ] as [[UInt8]] {
            #expect(throws: SiteLinkError.self) { try opened(rest) }
        }
    }
}
