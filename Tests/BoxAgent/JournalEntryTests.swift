import Testing

@testable import BoxAgent

@Suite("What the journal is given")
struct JournalEntryTests {
    /// Parses the fields as the systemd document describes. Returns nil if they are not valid.
    private func read(_ entry: JournalEntry) -> [(name: String, value: [UInt8])]? {
        var fields: [(String, [UInt8])] = []
        var rest = entry.bytes[...]
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if let mark = line.firstIndex(of: UInt8(ascii: "=")) {
                fields.append((String(decoding: line[..<mark], as: UTF8.self), Array(line[(mark + 1)...])))
            } else {
                guard rest.count >= 8 else { return nil }
                let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(8)
                guard rest.count > count, rest[rest.startIndex + count] == 0x0A else { return nil }
                fields.append((String(decoding: line, as: UTF8.self), Array(rest.prefix(count))))
                rest = rest.dropFirst(count + 1)
            }
        }
        return fields
    }

    private func fields(_ event: LogEvent?, text: String = "x", _ priority: LogPriority = .info) throws
        -> [String]
    {
        try #require(read(JournalEntry(priority, text, event))).map { name, value in
            "\(name)=\(String(decoding: value, as: UTF8.self))"
        }
    }

    @Test("A line has its text, its priority and its program, and an event its fields")
    func fields() throws {
        #expect(
            try fields(nil, text: "ready", .notice) == [
                "MESSAGE=ready", "PRIORITY=5", "SYSLOG_IDENTIFIER=boxagentd",
            ])
        let event = LogEvent(
            name: "login-correct", user: Array("anna".utf8), device: Array("7k2m".utf8), result: Array("correct".utf8))
        #expect(
            try fields(event).suffix(4) == [
                "BOXAGENT_EVENT=login-correct", "BOXAGENT_USER=anna", "BOXAGENT_DEVICE=7k2m", "BOXAGENT_RESULT=correct",
            ])
    }

    @Test("What there is none of has no field")
    func absent() throws {
        #expect(
            try fields(LogEvent(name: "prompt-refused", user: [], result: nil)).last == "BOXAGENT_EVENT=prompt-refused")
    }

    @Test(
        "No value makes a field of its own",
        arguments: ["a\nBOXAGENT_EVENT=device-enrolled", "\n", "a\n", "\nPRIORITY=0\n", "=", "a=b", "\u{0}\n\u{0}"])
    func forged(value: String) throws {
        let event = LogEvent(
            name: "e", user: Array(value.utf8), device: Array(value.utf8), result: Array(value.utf8))
        #expect(
            try fields(event, text: value) == [
                "MESSAGE=\(value)", "PRIORITY=6", "SYSLOG_IDENTIFIER=boxagentd", "BOXAGENT_EVENT=e",
                "BOXAGENT_USER=\(value)", "BOXAGENT_DEVICE=\(value)", "BOXAGENT_RESULT=\(value)",
            ])
    }

    @Test("Values are cut: an entry has less than ten kibibytes")
    func bounded() throws {
        let long = [UInt8](repeating: 0x0A, count: 100_000)
        let event = LogEvent(name: "e", user: long, device: long, result: long)
        let entry = JournalEntry(.error, String(decoding: long, as: UTF8.self), event)
        #expect(entry.bytes.count < 10_240)
        #expect(try #require(read(entry)).map(\.value.count) == [8_192, 1, 9, 1, 255, 255, 255])
    }
}
