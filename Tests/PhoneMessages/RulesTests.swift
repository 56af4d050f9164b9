import PhoneMessages
import Testing
import Wire

@Suite("PINs, credentials, automatic logout")
struct RulesTests {
    private static func pinViolation(_ pin: [UInt8]) -> PINRuleViolation? {
        pin.withRawSpan { span -> PINRuleViolation? in
            do throws(PINRuleViolation) { try PINRules.check(span) } catch { return error }
            return nil
        }
    }

    private static func credentialViolation(_ credential: [UInt8]) -> CredentialRuleViolation? {
        credential.withRawSpan { span -> CredentialRuleViolation? in
            do throws(CredentialRuleViolation) { try CredentialRules.check(span) } catch { return error }
            return nil
        }
    }

    @Test("A PIN is counted in Unicode scalars, not in bytes", arguments: ["a", "\u{e9}", "\u{6c34}", "\u{1F511}"])
    func pinScalars(_ scalar: String) {
        for count in 0...40 {
            let expected: PINRuleViolation? = count < 4 ? .tooShort : count > 32 ? .tooLong : nil
            #expect(Self.pinViolation(Array(String(repeating: scalar, count: count).utf8)) == expected, "\(count)")
        }
    }

    @Test("A PIN that is not UTF-8 is refused as such")
    func pinUTF8() {
        #expect(Self.pinViolation([0x31, 0x32, 0x33, 0x34, 0x80]) == .notUTF8)
        #expect(Self.pinViolation([0xED, 0xA0, 0x80, 0x31, 0x32, 0x33]) == .notUTF8)
    }

    @Test("A credential is 1 to 511 bytes of anything but NUL")
    func credentials() {
        #expect(Self.credentialViolation([]) == .empty)
        #expect(Self.credentialViolation([0xFF]) == nil)
        #expect(Self.credentialViolation([UInt8](repeating: 0x80, count: 511)) == nil)
        #expect(Self.credentialViolation([UInt8](repeating: 0x80, count: 512)) == .tooLong)
        for position in 0..<5 {
            var credential: [UInt8] = [1, 2, 3, 4, 5]
            credential[position] = 0
            #expect(Self.credentialViolation(credential) == .containsNUL)
        }
    }

    @Test("The last attempt is announced as the last, and no other is")
    func lastAttempt() {
        #expect(ResultDetail(attemptsLeft: 1).isLastAttempt)
        #expect(!ResultDetail(attemptsLeft: 2).isLastAttempt)
        #expect(!ResultDetail.none.isLastAttempt)
    }

    @Test("The automatic logout may be chosen within the bounds, and off where the administrator lets it be")
    func autoLogout() {
        var logout = AutoLogout(seconds: 600, minimumSeconds: 60, maximumSeconds: 900, mayBeOff: false)
        #expect(logout.allows(60) && logout.allows(900))
        #expect(!logout.allows(59) && !logout.allows(901) && !logout.allows(0))
        logout.mayBeOff = true
        #expect(logout.allows(0) && !logout.allows(1))
    }

    @Test("Request ids count up from 1 and end before they could repeat")
    func requestIDs() {
        #expect(RequestID.first.rawValue == 1)
        #expect(RequestID.first.next == RequestID(rawValue: 2))
        #expect(RequestID(rawValue: .max)?.next == nil)
        #expect(RequestID(rawValue: 0) == nil)
    }
}
