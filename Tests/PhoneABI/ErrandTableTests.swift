import PhoneCore
import TestSupport
import Testing

@testable import PhoneABI

@Suite("The core's errands, for a host")
struct ErrandTableTests {
    private func order(_ bytes: [UInt8]) throws(HostError) -> HostOrder {
        try bytes.withRawSpan { input throws(HostError) in try HostOrder.read(input) }
    }

    private func event(_ bytes: [UInt8]) throws(HostError) -> PhoneEvent {
        try bytes.withRawSpan { input throws(HostError) in try PhoneEvent.read(input) }
    }

    private func status() throws -> [UInt8] { try message("status", .array([row("1128")])) }

    /// Returns the word of the next action, or nil if there is none.
    private func word(_ table: ErrandTable, _ handle: Int32) throws -> String? {
        guard try table.nextAction(of: handle) > 0 else { return nil }
        return table.withWritten { bytes in
            let count = Int(bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self)) & 0x1F
            return String(decoding: bytes.extracting(2..<2 + count).withUnsafeBytes { Array($0) }, as: UTF8.self)
        }
    }

    @Test("An order asks for a scan and says what it is doing; while the radio listens nothing is due")
    func begins() throws {
        let table = ErrandTable()
        let handle = try table.start(try order(try status()), at: 5_000_000)
        var words: [String] = []
        while let word = try word(table, handle) { words.append(word) }
        #expect(words.sorted() == ["scan", "show"])
        #expect(try table.deadline(of: handle) == -1)
    }

    @Test("A handle names nothing once its errand was ended, also when another has its place")
    func generations() throws {
        let table = ErrandTable()
        let first = try table.start(try order(try status()), at: 0)
        try table.end(first)
        let second = try table.start(try order(try status()), at: 0)
        #expect(first != second)
        #expect(throws: HostError.noSuchErrand) { try table.nextAction(of: first) }
        #expect(throws: HostError.noSuchErrand) { try table.end(first) }
        for wrong in [0, -1, .min, .max, second + 8] as [Int32] {
            #expect(throws: HostError.noSuchErrand) { try table.deadline(of: wrong) }
        }
        try table.end(second)
    }

    @Test("A ninth errand is refused, and the eight go on")
    func bound() throws {
        let table = ErrandTable()
        let handles = try (0..<8).map { _ in try table.start(try order(try status()), at: 0) }
        #expect(throws: HostError.tooManyErrands) { try table.start(try order(try status()), at: 0) }
        for handle in handles { try table.end(handle) }
        _ = try table.start(try order(try status()), at: 0)
    }

    @Test("A clock that steps back stands, and one before its beginning or after its end is refused")
    func clocks() throws {
        let table = ErrandTable()
        let handle = try table.start(try order(try status()), at: 9_000_000)
        let due = try table.deadline(of: handle)
        try table.handle(.time, for: handle, at: 1)
        #expect(try table.deadline(of: handle) == due)
        for wrong in [-1, .min, .max, HostLimits.latestMicroseconds + 1] as [Int64] {
            #expect(throws: HostError.noTime) { try table.handle(.time, for: handle, at: wrong) }
        }
        try table.handle(.time, for: handle, at: HostLimits.latestMicroseconds)
    }

    @Test("Boxes with different digits are no target, and neither are none")
    func targets() throws {
        #expect(throws: HostError.noTarget) { try order(try message("watch", .array([]))) }
        #expect(throws: HostError.noTarget) {
            try order(try message("watch", .array([row("1128"), row("1129", key: 8)])))
        }
        _ = try order(try message("watch", .array([row("1128"), row("1128", key: 8)])))
    }

    @Test("What breaks a rule of the protocol is refused before anything is done")
    func rules() throws {
        let rows = Item.array([row("1128")])
        let wrong: [[UInt8]] = [
            try message("watch", .array([row("1128", idBytes: 15)])), try message("watch", .array([row("112")])),
            try message("watch", .array([row("11a8")])), try message("watch", rows, .null),
            try message("nothing", rows),
            try message("logInWithPIN", rows, .bytes(Array("471".utf8))), try message("logInWithPIN", rows, .bytes([])),
            try message("storeCredential", rows, .bytes([0]), .bytes(Array("4711".utf8))),
            try message("setAutoLogout", rows, .number(604_801)),
            // Orders that this interface does not offer, and further orders with wrong values.
            try message("scan", rows), try message("ping", rows, .number(1), .number(1)), try message("measure", rows),
            try message("join", .number(-1), .bytes([]), .bytes([]), .null, .array([])),
            try message("atSite", .number(1), siteRow(idBytes: 15), .text("004711"), .text("status")),
            try message("atSite", .number(1), rows, .text("004711"), .text("status")),
            try message("setThresholds", rows, .number(-50), .number(-55)), try message("login", rows, .number(1)),
        ]
        for bytes in wrong { #expect(throws: HostError.unintelligible) { try order(bytes) } }
        #expect(throws: HostError.notACode) {
            try order(try message("enrol", .bytes(Array("boxlink:2/AAAA".utf8)), .bytes([]), .null))
        }
        #expect(throws: HostError.notACode) {
            try order(
                try message(
                    "join", .number(1), .bytes(Array("boxsite-enrol:1/AAAA".utf8)), .bytes([]), .null, .array([])))
        }
        // A row of a site without a signed document names no target.
        #expect(throws: HostError.noTarget) {
            try order(try message("atSite", .number(1), siteRow(), .text("004711"), .text("status")))
        }
        for bytes in [
            try message("vault", .number(1), .text("siteKey"), .bytes([1]), .bytes([1])),
            try message("opened", .number(1), .text("GATT"), .bytes([]), .number(20), .number(20)),
            try message("opened", .number(1), .text("GATT"), .bytes([1]), .number(15), .number(20)),
            try message("heard", .number(1), .bytes([]), .text("a"), .number(-128)), try message("tap", .text("dance")),
            try message("tap", .text("decline"), .number(0)), try message("linked", .number(-1)), try message("linked"),
        ] {
            #expect(throws: HostError.unintelligible) { try event(bytes) }
        }
    }

    @Test("No part of a message is taken for a message")
    func truncated() throws {
        let whole = try message("enrol", .bytes([]), .bytes([]), row("1128"))
        for count in 0..<whole.count {
            #expect(throws: HostError.self) { try order(Array(whole.prefix(count))) }
        }
    }
}
