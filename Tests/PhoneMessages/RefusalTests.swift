import PhoneMessages
import TestSupport
import Testing
import Wire

/// A message that must be refused, and the expected error.
struct BadMessage: Sendable, CustomTestStringConvertible {
    let name: String
    let fields: [Field]
    let error: WireError
    var testDescription: String { name }

    init(_ name: String, _ fields: [Field], _ error: WireError) {
        self.name = name
        self.fields = fields
        self.error = error
    }
}

@Suite("Messages that are refused")
struct RefusalTests {
    private static var secret: Field { .bytes(32) }
    private static var commitment: Field { .bytes(32) }

    static var requests: [BadMessage] {
        [
            BadMessage("no elements", [], .unexpectedType),
            BadMessage("no id", [.number(8)], .unexpectedType),
            BadMessage("type 0", [.number(0), .number(1)], .unknown),
            BadMessage("a type between the phone's and the box's", [.number(16), .number(1)], .unknown),
            BadMessage("a type of the box", [.number(22), .number(1)], .unknown),
            BadMessage("a type that is no number", [.text("lock"), .number(1)], .unexpectedType),
            BadMessage("id 0", [.number(8), .number(0)], .outOfRange),
            BadMessage("an id over 32 bits", [.number(8), .number(1 << 32)], .outOfRange),
            BadMessage("an id that is negative", [.number(8), .negative(-1)], .unexpectedType),
            BadMessage("17 elements", [Field](repeating: .number(8), count: 17), .tooLarge),
            BadMessage("lock with a field", [.number(8), .number(1), .null], .unknown),
            BadMessage("hello without capabilities", [.number(1), .number(1), .array([.number(1)])], .unknown),
            BadMessage("hello without versions", [.number(1), .number(1), .array([]), .number(0)], .outOfRange),
            BadMessage(
                "hello with nine versions",
                [.number(1), .number(1), .array((1...9).map { .number($0) }), .number(0)], .tooLarge),
            BadMessage(
                "hello with version 0", [.number(1), .number(1), .array([.number(0)]), .number(0)], .outOfRange),
            BadMessage(
                "hello with version 256", [.number(1), .number(1), .array([.number(256)]), .number(0)], .outOfRange),
            BadMessage(
                "hello with versions that fall",
                [.number(1), .number(1), .array([.number(2), .number(1)]), .number(0)], .outOfRange),
            BadMessage(
                "hello with a version twice",
                [.number(1), .number(1), .array([.number(1), .number(1)]), .number(0)], .outOfRange),
            BadMessage(
                "hello with capabilities over 32 bits",
                [.number(1), .number(1), .array([.number(1)]), .number(1 << 32)], .outOfRange),
            BadMessage("a label of 65 bytes", [.number(2), .number(1), .text(65), commitment], .tooLarge),
            BadMessage("a label with a line feed", [.number(2), .number(1), .text("a\nb"), commitment], .outOfRange),
            BadMessage("a label with escape", [.number(2), .number(1), .text("\u{1B}[2J"), commitment], .outOfRange),
            BadMessage("a label with delete", [.number(2), .number(1), .text("\u{7F}"), commitment], .outOfRange),
            BadMessage(
                "a label with a C1 control", [.number(2), .number(1), .text("\u{9B}2J"), commitment], .outOfRange),
            BadMessage("a label with NUL", [.number(2), .number(1), .text("\u{0}"), commitment], .outOfRange),
            BadMessage("a label that is bytes", [.number(2), .number(1), .bytes(3), commitment], .unexpectedType),
            BadMessage("enrol without a commitment", [.number(2), .number(1), .text("a")], .unknown),
            BadMessage(
                "enrol with a commitment of 31 bytes", [.number(2), .number(1), .text("a"), .bytes(31)], .outOfRange),
            BadMessage(
                "enrol with a commitment of 33 bytes", [.number(2), .number(1), .text("a"), .bytes(33)], .tooLarge),
            BadMessage("reveal with a nonce of 31 bytes", [.number(33), .number(1), .bytes(31)], .outOfRange),
            BadMessage("reveal of nothing", [.number(33), .number(1)], .unknown),
            BadMessage("enrolment with a label", [.number(34), .number(1), .text("a")], .unknown),
            BadMessage("an empty credential", [.number(3), .number(1), .bytes(0)], .outOfRange),
            BadMessage("a credential of 512 bytes", [.number(3), .number(1), .bytes(512)], .tooLarge),
            BadMessage("a credential with NUL", [.number(3), .number(1), .bytes([0x61, 0, 0x62])], .outOfRange),
            BadMessage("a credential that is text", [.number(3), .number(1), .text(8)], .unexpectedType),
            BadMessage("a PIN of three", [.number(4), .number(1), .text(3), secret], .outOfRange),
            BadMessage("a PIN of 33", [.number(4), .number(1), .text(33), secret], .outOfRange),
            BadMessage("a PIN of 129 bytes", [.number(4), .number(1), .text(129), secret], .tooLarge),
            BadMessage("a PIN that is bytes", [.number(4), .number(1), .bytes(4), secret], .unexpectedType),
            BadMessage("a device secret of 31 bytes", [.number(4), .number(1), .text(4), .bytes(31)], .outOfRange),
            BadMessage("a device secret of 33 bytes", [.number(4), .number(1), .text(4), .bytes(33)], .tooLarge),
            BadMessage("a PIN of three to store", [.number(5), .number(1), .text(3), secret, .bytes(9)], .outOfRange),
            BadMessage(
                "a short secret to store", [.number(5), .number(1), .text(4), .bytes(0), .bytes(9)], .outOfRange),
            BadMessage(
                "an empty credential to store", [.number(5), .number(1), .text(4), secret, .bytes(0)], .outOfRange),
            BadMessage("an old PIN of three", [.number(6), .number(1), .text(3), .text(4), secret], .outOfRange),
            BadMessage("a new PIN of three", [.number(6), .number(1), .text(4), .text(3), secret], .outOfRange),
            BadMessage(
                "a short secret to change", [.number(6), .number(1), .text(4), .text(4), .bytes(8)], .outOfRange),
            BadMessage("a logout after eight days", [.number(12), .number(1), .number(691_200)], .outOfRange),
            BadMessage("a logout in the past", [.number(12), .number(1), .negative(-5)], .unexpectedType),
            BadMessage("a ping without bytes", [.number(13), .number(1)], .unknown),
            BadMessage("a ping with text", [.number(13), .number(1), .text(3)], .unexpectedType),
            BadMessage("a ping of 16,385 bytes", [.number(13), .number(1), .bytes(16_385)], .tooLarge),
            BadMessage("a signal of -128 dBm", [.number(14), .number(1), .number(128)], .outOfRange),
            BadMessage("a signal above zero", [.number(14), .number(1), .negative(-5)], .unexpectedType),
            BadMessage("a report without a signal", [.number(14), .number(1)], .unknown),
            BadMessage("half of the thresholds", [.number(15), .number(1), .number(60), .null], .outOfRange),
            BadMessage("thresholds that meet", [.number(15), .number(1), .number(60), .number(69)], .outOfRange),
            BadMessage("near at -29 dBm", [.number(15), .number(1), .number(29), .number(80)], .outOfRange),
            BadMessage("far at -101 dBm", [.number(15), .number(1), .number(60), .number(101)], .outOfRange),
            BadMessage("an extension that says how long", [.number(27), .number(1), .number(60)], .unknown),
            BadMessage("an answer to no elevation", [.number(30), .number(1), .number(0), .bytes(3)], .outOfRange),
            BadMessage("an elevation without credential", [.number(30), .number(1), .number(7)], .unknown),
            BadMessage("an elevation with NUL", [.number(30), .number(1), .number(7), .bytes([0])], .outOfRange),
            BadMessage(
                "an elevation by a PIN of three", [.number(31), .number(1), .number(7), .text(3), secret], .outOfRange),
            BadMessage(
                "an elevation by a short secret", [.number(31), .number(1), .number(7), .text(4), .bytes(31)],
                .outOfRange),
            BadMessage("a decline of nothing", [.number(32), .number(1), .number(0)], .outOfRange),
            BadMessage("a decline with a reason", [.number(32), .number(1), .number(7), .text(3)], .unknown),
            BadMessage("a box's elevation as a request", [.number(29), .number(1), .number(7)], .unknown),
        ]
    }

    @Test("A request with a field out of its bounds is refused for its own reason", arguments: requests)
    func badRequest(_ bad: BadMessage) throws {
        let encoded = try Field.message(bad.fields)
        #expect(throws: bad.error) { try PhoneRequestMessage.decode(encoded) }
    }

    static func state(
        _ session: Field = .number(1), user: Field = .bytes(3), logout: Field = .number(60),
        minimum: Field = .number(60), maximum: Field = .number(900), off: Field = .bool(true), deadline: Field = .null,
        stale: Field = .bool(false), attempts: Field = .null
    ) -> [Field] {
        [.number(21), .number(0), session, user, logout, minimum, maximum, off, deadline, stale, attempts]
    }

    static func enrolled(
        device: Field = .bytes(16), user: Field = .bytes(3), mode: Field = .number(0), box: Field = .text("1234")
    ) -> [Field] {
        [.number(17), .number(2), device, user, mode, box]
    }

    static func warning(
        id: UInt64 = 0, seconds: Field = .number(60), cause: Field = .number(3), extends: Field = .bool(true)
    ) -> [Field] {
        [.number(26), .number(id), seconds, cause, extends]
    }

    static func elevation(
        id: Field = .number(7), service: Field = .text("sudo"), terminal: Field = .text(""),
        requester: Field = .bytes(3), seconds: Field = .number(30)
    ) -> [Field] {
        [.number(28), .number(0), id, service, terminal, requester, seconds]
    }

    static func result(_ code: UInt64, attempts: Field = .null, retry: Field = .null) -> [Field] {
        [.number(20), .number(2), .number(code), attempts, retry]
    }

    static var boxMessages: [BadMessage] {
        [
            BadMessage("a type before the first", [.number(15), .number(1)], .unknown),
            BadMessage("a type after the last", [.number(4_711), .number(1)], .unknown),
            BadMessage("a request of the phone after the box's types", [.number(27), .number(1)], .unknown),
            BadMessage("a warning that answers", warning(id: 1), .outOfRange),
            BadMessage("a warning of eight days", warning(seconds: .number(691_200)), .outOfRange),
            BadMessage("a warning without a time", warning(seconds: .null), .outOfRange),
            BadMessage("a warning without a cause", warning(cause: .null), .unexpectedType),
            BadMessage("a warning of an unknown cause", warning(cause: .number(4)), .unknown),
            BadMessage("a warning that half is none", warning(seconds: .null, cause: .null), .outOfRange),
            BadMessage("a warning that may be put off once", warning(extends: .number(1)), .unexpectedType),
            BadMessage("a warning with a field less", warning().dropLast(), .unknown),
            BadMessage("a pong that answers nothing", [.number(24), .number(0), .bytes(3)], .outOfRange),
            BadMessage("a pong without bytes", [.number(24), .number(1)], .unknown),
            BadMessage("a pong of 16,385 bytes", [.number(24), .number(1), .bytes(16_385)], .tooLarge),
            BadMessage("a type of the phone", [.number(8), .number(1)], .unknown),
            BadMessage("hello that answers nothing", [.number(16), .number(0), .number(1), .number(0)], .outOfRange),
            BadMessage("hello with version 0", [.number(16), .number(1), .number(0), .number(0)], .outOfRange),
            BadMessage("hello with version 256", [.number(16), .number(1), .number(256), .number(0)], .outOfRange),
            BadMessage("pending that answers nothing", [.number(18), .number(0)], .outOfRange),
            BadMessage("a nonce that answers nothing", [.number(35), .number(0), .bytes(32)], .outOfRange),
            BadMessage("a nonce of 31 bytes", [.number(35), .number(2), .bytes(31)], .outOfRange),
            BadMessage("enrolled with a short device id", enrolled(device: .bytes(15)), .outOfRange),
            BadMessage("enrolled with a long device id", enrolled(device: .bytes(17)), .tooLarge),
            BadMessage("enrolled without a user", enrolled(user: .bytes(0)), .outOfRange),
            BadMessage("enrolled with a user of 256 bytes", enrolled(user: .bytes(256)), .tooLarge),
            BadMessage("enrolled with a NUL in the user", enrolled(user: .bytes([0x61, 0])), .outOfRange),
            BadMessage("enrolled with the mode of a site", enrolled(mode: .number(2)), .outOfRange),
            BadMessage("enrolled with an unknown mode", enrolled(mode: .number(3)), .unknown),
            BadMessage("enrolled with a mode over a byte", enrolled(mode: .number(256)), .unknown),
            BadMessage("enrolled with three digits", enrolled(box: .text("123")), .outOfRange),
            BadMessage("enrolled with seven digits", enrolled(box: .text("1234567")), .tooLarge),
            BadMessage("enrolled with letters for digits", enrolled(box: .text("12a4")), .outOfRange),
            BadMessage("unknown progress", [.number(19), .number(2), .number(4)], .unknown),
            BadMessage("an unknown code", result(200), .unknown),
            BadMessage("a code over a byte", result(256), .unknown),
            BadMessage("a wrong PIN without attempts", result(6), .outOfRange),
            BadMessage("a wrong PIN with no attempt left", result(6, attempts: .number(0)), .outOfRange),
            BadMessage("eleven attempts left", result(6, attempts: .number(11)), .outOfRange),
            BadMessage("locked out for no time", result(8, retry: .number(0)), .outOfRange),
            BadMessage("locked out without a time", result(8, attempts: .number(3)), .outOfRange),
            BadMessage("locked out for eight days", result(8, retry: .number(691_200)), .outOfRange),
            BadMessage("a state that answers", [.number(21), .number(1)] + state().dropFirst(2), .outOfRange),
            BadMessage("a state with a field more", state() + [.null], .unknown),
            BadMessage("a state with a field less", state().dropLast(), .unknown),
            BadMessage("an unknown session state", state(.number(3)), .unknown),
            BadMessage("a session without a user", state(user: .null), .outOfRange),
            BadMessage("a user without a session", state(.number(0)), .outOfRange),
            BadMessage("a user of no bytes", state(user: .bytes(0)), .outOfRange),
            BadMessage("a user of 256 bytes", state(user: .bytes(256)), .tooLarge),
            BadMessage("a logout of eight days", state(logout: .number(691_200)), .outOfRange),
            BadMessage("a minimum of 0", state(minimum: .number(0)), .outOfRange),
            BadMessage("a minimum over the maximum", state(minimum: .number(901)), .outOfRange),
            BadMessage("a maximum of eight days", state(maximum: .number(691_200)), .outOfRange),
            BadMessage("off as a number", state(off: .number(1)), .unexpectedType),
            BadMessage("a deadline in eight days", state(deadline: .number(691_200)), .outOfRange),
            BadMessage("stale as null", state(stale: .null), .unexpectedType),
            BadMessage("a credential with eleven attempts left", state(attempts: .number(11)), .outOfRange),
            BadMessage("an offer as an answer", [.number(25), .number(1), .number(0)], .outOfRange),
            BadMessage("an unknown offer", [.number(25), .number(0), .number(3)], .unknown),
            BadMessage("an elevation as an answer", [.number(28), .number(1)] + elevation().dropFirst(2), .outOfRange),
            BadMessage("an elevation without id", elevation(id: .number(0)), .outOfRange),
            BadMessage("an elevation for no service", elevation(service: .text(0)), .outOfRange),
            BadMessage("a service of 65 bytes", elevation(service: .text(65)), .tooLarge),
            BadMessage("a service that rings the bell", elevation(service: .text("\u{7}")), .outOfRange),
            BadMessage("a terminal with a C1 control", elevation(terminal: .text("\u{9B}2J")), .outOfRange),
            BadMessage("an elevation of nobody", elevation(requester: .bytes(0)), .outOfRange),
            BadMessage("an elevation of 31 s", elevation(seconds: .number(31)), .outOfRange),
            BadMessage("the end of an elevation as an answer", [.number(29), .number(1), .number(7)], .outOfRange),
            BadMessage("the end of no elevation", [.number(29), .number(0), .number(0)], .outOfRange),
            BadMessage("revoked as an answer", [.number(22), .number(1)], .outOfRange),
            BadMessage("an account problem, said no more", [.number(23), .number(0), .number(0)], .unknown),
        ]
    }

    @Test("A message of the box with a field out of its bounds is refused for its own reason", arguments: boxMessages)
    func badBoxMessage(_ bad: BadMessage) throws {
        let encoded = try Field.message(bad.fields)
        #expect(throws: bad.error) { try BoxMessage.decode(encoded) }
    }

    @Test("The tables' own templates are accepted, so that each row fails for its one change")
    func templates() throws {
        #expect(throws: Never.self) { try BoxMessage.decode(try Field.message(Self.state())) }
        #expect(throws: Never.self) { try BoxMessage.decode(try Field.message(Self.enrolled())) }
        #expect(throws: Never.self) { try BoxMessage.decode(try Field.message(Self.result(6, attempts: .number(1)))) }
        #expect(throws: Never.self) { try BoxMessage.decode(try Field.message(Self.result(8, retry: .number(1)))) }
    }

    @Test("A message over the limit is refused before it is looked at, and any but a ping before its fields are")
    func tooLong() throws {
        let long = [UInt8](repeating: 0xFF, count: MessageLimits.pingBytes + 17)
        #expect(throws: WireError.tooLarge) { try PhoneRequestMessage.decode(long) }
        #expect(throws: WireError.tooLarge) { try BoxMessage.decode(long) }
        let login = try Field.message([.number(3), .number(1), .bytes(MessageLimits.messageBytes)])
        #expect(throws: WireError.tooLarge) { try PhoneRequestMessage.decode(login) }
        let enrolled = try Field.message(Self.enrolled(user: .bytes(MessageLimits.messageBytes)))
        #expect(throws: WireError.tooLarge) { try BoxMessage.decode(enrolled) }
    }

    @Test("A field's text that is not UTF-8 is refused")
    func notUTF8() {
        let label = bytes("84 02 01 62 c328 5820") + [UInt8](repeating: 1, count: 32)
        #expect(throws: WireError.invalidUTF8) { try PhoneRequestMessage.decode(label) }
        let pin = bytes("84 04 01 64 ff313233 5820") + [UInt8](repeating: 1, count: 32)
        #expect(throws: WireError.invalidUTF8) { try PhoneRequestMessage.decode(pin) }
    }
}
