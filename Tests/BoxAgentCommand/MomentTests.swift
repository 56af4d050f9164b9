import CommandTool
import Testing

@testable import BoxAgentCommand

@Suite("Points in time as people give them")
struct MomentTests {
    private let now: Int64 = 1_800_000_000

    @Test(
        "RFC 3339 is read with every offset, with a fraction and on leap days",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-21T06:40:12Z", 1_795_243_212),
            ("2026-11-21 06:40:12Z", 1_795_243_212), ("2026-11-21t07:40:12+01:00", 1_795_243_212),
            ("2026-11-20T23:10:12-07:30", 1_795_243_212), ("2026-11-21T06:40:12.999z", 1_795_243_212),
            ("2024-02-29T12:00:00Z", 1_709_208_000), ("2000-03-01T00:00:00Z", 951_868_800),
            ("1985-04-12T23:20:50.52Z", 482_196_050), ("1937-01-01T12:00:27.87+00:20", -1_041_337_173),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("0000-01-01T00:00:00Z", -62_167_219_200),
        ] as [(String, Int64)])
    func universal(text: String, seconds: Int64) {
        #expect(Moment.unixSeconds(text, now: now) == seconds)
    }

    @Test("A span is so long before now")
    func spans() {
        let spans: [(String, Int64)] = [
            ("90s", 90), ("30min", 1_800), ("2h", 7_200), ("3d", 259_200), ("1w", 604_800), ("0s", 0),
        ]
        for (text, seconds) in spans { #expect(Moment.unixSeconds(text, now: now) == now - seconds) }
    }

    @Test("A day is its beginning here")
    func day() {
        #expect(Moment.unixSeconds("2026-11-21", now: now) == Timestamp.startOfDay("2026-11-21"))
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "", "now", "yesterday", "2h ", " 2h", "-2h", "+2h", "2", "h", "2m", "2.5h", "9999999999s", "999999999w",
            "2026-11-21T06:40:12", "2026-11-21T06:40Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T06:60:00Z", "2026-11-21T06:40:61Z",
            "2026-11-21T06:40:12.Z", "2026-11-21T06:40:12+1:00", "2026-11-21T06:40:12+24:00",
            "2026-11-21T06:40:12Zx", "2026-11-21T0a:40:12Z", "2026-1-1", "２h",
        ])
    func refused(text: String) {
        #expect(Moment.unixSeconds(text, now: now) == nil)
    }
}
