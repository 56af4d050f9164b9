import Links
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("A box at which more phones watch than it has places")
struct CrowdedBoxTests {
    private var box = MachineBench()
    /// The channels that the box ended.
    private var ended: [UInt64] = []

    /// Connects a phone of device `device` on channel `number`, sends hello, and then `request`.
    private mutating func connects(_ number: UInt64, device: UInt8, _ request: PhoneRequest? = .status) {
        let id = Sample.channel(number)
        note(box.feed(.phone(id, .arrived(connection: "c\(number)"))))
        note(box.feed(.phone(id, .proved(Sample.sheet(device)))))
        asks(.hello(versions: [MessageLimits.protocolVersion], capabilities: []), 1, on: number)
        if let request { asks(request, 2, on: number) }
    }

    private mutating func asks(_ request: PhoneRequest, _ number: UInt32, on channel: UInt64) {
        note(box.ask(request, number, on: channel))
    }

    private mutating func note(_ said: Said) {
        for case .finish(let id, let reason, _) in said.effects {
            #expect(reason == .replaced)
            ended.append(id.number)
        }
    }

    private var isFound: Bool { box.machine.view.advertising != .off }

    /// Connects 20 phones, the most that can watch at once in a box of 32 links.
    private mutating func fill() {
        for number in 1...20 { connects(UInt64(number), device: UInt8(number)) }
        #expect(ended.isEmpty)
    }

    @Test("32 phones that watch leave places: the box is found, and a further one logs in")
    mutating func watchers() {
        for number in 1...32 {
            connects(UInt64(number), device: UInt8(number))
            box.now.sinceBoot += .seconds(1)
            #expect(isFound, "after \(number)")
        }
        #expect(ended == Array<UInt64>(1...12), "who watched longest without a tap gave way")
        for number in UInt64(100)..<107 {
            note(box.feed(.phone(Sample.channel(number), .arrived(connection: "c\(number)"))))
        }
        #expect(isFound, "with half-open links beside them")
        connects(99, device: 99, .login(Sample.secret()))
        #expect(!ended.contains(99) && box.isTapHeld)
    }

    @Test("Of 8 phones with 4 channels each none keeps more than its share, and each keeps one")
    mutating func shares() {
        for channel in 0..<4 {
            for device in 1...8 { connects(UInt64(channel * 8 + device), device: UInt8(device)) }
        }
        #expect(isFound && ended.count == 12)
        let left = (1...8).map { device in (0..<4).filter { !ended.contains(UInt64($0 * 8 + device)) }.count }
        #expect(left.allSatisfy { (2...3).contains($0) })
        connects(99, device: 99, .login(Sample.secret()))
        #expect(isFound && !ended.contains(99) && ended.count == 13)
    }

    @Test("A login that waits for a program is not pushed out by phones that watch")
    mutating func waitingLogin() {
        connects(1, device: 1, .login(Sample.secret()))
        for number in 2...40 { connects(UInt64(number), device: UInt8(number)) }
        #expect(!ended.contains(1) && box.isTapHeld)
        #expect(ended.count == 20)
    }

    @Test("A phone that gave way and comes back to watch is turned away, and pushes out nobody")
    mutating func comesBack() {
        fill()
        connects(21, device: 21)
        #expect(ended == [1])
        for number in UInt64(30)..<40 {
            connects(number, device: 1)
            #expect(ended.popLast() == number)
            note(box.feed(.phone(Sample.channel(number), .left(.replaced, peer: "a phone"))))
        }
        #expect(ended == [1] && isFound)
        box.now.sinceBoot += .seconds(61)
        connects(50, device: 1)
        #expect(ended == [1, 2], "after a minute it is the next one's turn")
    }

    @Test("A phone that gave way is served when its person taps")
    mutating func taps() {
        fill()
        connects(21, device: 21)
        connects(30, device: 1, .login(Sample.secret()))
        #expect(ended == [1, 2] && box.isTapHeld && isFound)
    }

    @Test("Phones that gave way and say nothing hold no more than the places that are kept for logins")
    mutating func silent() {
        fill()
        for number in 21...30 { connects(UInt64(number), device: UInt8(number)) }
        let before = ended.count
        for device in 1...8 { connects(UInt64(40 + device), device: UInt8(device), nil) }
        #expect(isFound && ended.count == before + 6)
        #expect(Array(ended.suffix(6)) == Array(41...46), "the earlier ones gave way to the later")
    }
}
