import AgentClient
import Testing

@testable import BoxLogin

@Suite struct GreetdMessageTests {
    private func reply(_ json: String) throws -> GreetdReply { try GreetdReply(Array(json.utf8)) }

    @Test("The replies of the manual page are understood") func theRepliesOfTheManualPageAreUnderstood() throws {
        #expect(try reply(#"{"type":"success"}"#) == .success)
        #expect(
            try reply(#"{"type":"error","error_type":"auth_error","description":"pam_authenticate: AUTH_ERR"}"#)
                == .error(isRefusal: true, "pam_authenticate: AUTH_ERR"))
        #expect(
            try reply(#" { "error_type" : "error" , "type" : "error" } "#) == .error(isRefusal: false, ""))
        #expect(
            try reply(#"{"type":"auth_message","auth_message_type":"secret","auth_message":"Password: "}"#)
                == .message(.secret, "Password: "))
    }

    @Test("What a newer greetd says besides is skipped") func whatANewerGreetdSaysBesidesIsSkipped() throws {
        let json = #"{"new":{"a":[1,-2.5e3,null,{"b":[]}],"c":true},"type":"success","n":0}"#
        #expect(try reply(json) == .success)
    }

    @Test("Escapes are text in the end") func escapesAreTextInTheEnd() throws {
        let texts = try FlatJSON.texts(in: Array(#"{"a":"\"\\\/\b\f\n\r\té😀x"}"#.utf8))
        #expect(texts["a"] == "\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1f600}x")
    }

    @Test(
        "What is no reply is refused",
        arguments: [
            "", "{", "{}x", "[]", #"{"type"}"#, #"{"type":}"#, #"{"type":"success""#, #"{"type":"success",}"#,
            #"{"type":"a","type":"b"}"#, #"{"a":"\ud800"}"#, #"{"a":"\ud800A"}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#,
            "{\"a\":\"\n\"}", #"{"a":[[[[[[[[[1]]]]]]]]]}"#, #"{"type":"unknown"}"#,
            #"{"type":"auth_message","auth_message_type":"other"}"#,
        ])
    func whatIsNoReplyIsRefused(json: String) {
        #expect(throws: FlatJSON.Malformed.self) { try GreetdReply(Array(json.utf8)) }
    }

    @Test("Bytes that are no UTF-8 and messages that are too long are refused")
    func bytesThatAreNoUTF8AndMessagesThatAreTooLongAreRefused() {
        #expect(throws: FlatJSON.Malformed.self) {
            try FlatJSON.texts(in: Array("{\"a\":\"".utf8) + [0xFF, 0x22, 0x7D])
        }
        let long = #"{"a":""# + String(repeating: "a", count: FlatJSON.limitBytes) + #""}"#
        #expect(throws: FlatJSON.Malformed.self) { try FlatJSON.texts(in: Array(long.utf8)) }
    }

    @Test("Every beginning of a reply is refused") func everyBeginningOfAReplyIsRefused() {
        let whole = Array(#"{"type":"auth_message","auth_message_type":"info","auth_message":"a\u00e9"}"#.utf8)
        for count in 0..<whole.count {
            #expect(throws: FlatJSON.Malformed.self) { try GreetdReply(Array(whole.prefix(count))) }
        }
    }

    @Test("Random changes to a reply are read or refused, and never end the program")
    func mutations() {
        let whole = Array(
            #"{"n":[1,{"a":"\ud83d\ude00"}],"type":"auth_message","auth_message_type":"info","auth_message":"\n"}"#.utf8
        )
        var state: UInt64 = 4
        func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0...(next() % 4) {
                let position = next() % bytes.count
                switch next() % 3 {
                case 0: bytes[position] = UInt8(next() & 0xFF)
                case 1: bytes.remove(at: position)
                default: bytes.insert(Array("{}[]\\\",:u".utf8)[next() % 9], at: position)
                }
            }
            _ = try? GreetdReply(bytes)
        }
    }

    @Test("Requests are what the manual page says") func requestsAreWhatTheManualPageSays() {
        func text(_ request: GreetdRequest) -> String { String(decoding: request.json, as: UTF8.self) }
        #expect(text(.createSession(user: "a\"b")) == #"{"type":"create_session","username":"a\"b"}"#)
        #expect(text(.acknowledge) == #"{"type":"post_auth_message_response","response":null}"#)
        #expect(
            text(.startSession(command: ["sway", "-d"])) == #"{"type":"start_session","cmd":["sway","-d"],"env":[]}"#)
        #expect(text(.cancelSession) == #"{"type":"cancel_session"}"#)
    }

    private func response(_ typed: [UInt8]) -> String? {
        var entry = LineEntry()
        for byte in typed { _ = entry.handle(byte) }
        var output = WipedBuffer(count: GreetdResponse.limitBytes)
        let count = output.withMutableBytes { output in
            entry.withBytes { GreetdResponse.encode($0, into: &output) }
        }
        return count.map { count in
            output.withBytes(first: count) { bytes in
                bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    @Test("A typed answer is escaped whatever is in it") func aTypedAnswerIsEscapedWhateverIsInIt() {
        #expect(response(Array("a\"\\é".utf8)) == #"{"type":"post_auth_message_response","response":"a\"\\é"}"#)
        #expect(response([]) == #"{"type":"post_auth_message_response","response":""}"#)
        #expect(response([0xFF]) == nil)
    }

    @Test("The longest answer fits") func theLongestAnswerFits() throws {
        let long = try #require(response([UInt8](repeating: UInt8(ascii: "\""), count: 600)))
        #expect(long.utf8.count == 2 * LineEntry.limitBytes + 51)
        #expect(long.hasSuffix("\\\"\"}"))
    }
}

@Suite struct LineEntryTests {
    private func typed(_ text: String) -> (String, [LineEntry.Step]) {
        var entry = LineEntry()
        var steps: [LineEntry.Step] = []
        for byte in text.utf8 { steps.append(entry.handle(byte)) }
        return (entry.withBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }, steps)
    }

    @Test("Character after character is taken back whole") func characterAfterCharacterIsTakenBackWhole() {
        #expect(typed("aé\u{7f}").0 == "a")
        #expect(typed("aé\u{7f}\u{7f}\u{7f}b").0 == "b")
        #expect(typed("abc\u{15}d").0 == "d")
        #expect(typed("aé\u{8}").1.last == .removed(columns: 1))
    }

    @Test("Escape and its kind cancel", arguments: ["\u{1b}", "\u{3}", "\u{4}"])
    func escapeAndItsKindCancel(key: String) {
        #expect(typed("a" + key).1.last == .cancelled)
    }

    @Test("A line is bounded") func aLineIsBounded() {
        let (text, steps) = typed(String(repeating: "a", count: 600))
        #expect(text.utf8.count == LineEntry.limitBytes)
        #expect(steps.last == .ignored)
    }
}
