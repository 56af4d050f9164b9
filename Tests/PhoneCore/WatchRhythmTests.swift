import Testing

@testable import PhoneCore

@Suite("How a watching phone comes back")
struct WatchRhythmTests {
    @Test("A radio that goes is waited for, with longer pauses; one that was never there ends the watch")
    func radio() {
        var rhythm = WatchRhythm(limits: PhoneLimits())
        let first = rhythm.pause(after: .radio(.refused))
        #expect(first == nil)
        rhythm.connected()
        let pauses = (0..<3).compactMap { _ in rhythm.pause(after: .radio(.refused)) }
        #expect(pauses.count == 3)
        #expect(pauses == pauses.sorted() && pauses.first != pauses.last)
    }
}
