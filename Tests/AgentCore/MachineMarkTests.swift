import Testing

@testable import AgentCore

@Suite("Which machine the box's state belongs to")
struct MachineMarkTests {
    private static let id = "0123456789abcdef0123456789abcdef"
    private static let otherID = "fedcba9876543210fedcba9876543210"
    private static let uuid = "4c4c4544-0038-3510-8052-b7c04f4e4d32"
    private static let otherUUID = "4C4C4544-0039-3510-8052-B7C04F4E4D32"
    private static let card = "00:1e:06:30:4e:a1"
    private static let radio = "DC:A6:32:01:02:03"

    private static let otherCard = "00:1e:06:30:4e:a2"
    private static let dock = "00:50:b6:11:22:33"

    private static func mark(
        _ id: String?, _ uuid: String?, _ builtIn: String..., plugged: [String] = []
    ) -> MachineMark {
        MachineMark(machineID: id, productUUID: uuid, builtIn: builtIn, addresses: plugged)
    }

    /// The event, the stored mark, the mark that is found now, and whether both are the same machine.
    private static let cases: [(String, MachineMark, MachineMark, Bool)] = [
        ("the same, unchanged", mark(id, uuid, card, plugged: [radio]), mark(id, uuid, card, plugged: [radio]), true),
        (
            "an adapter was replaced", mark(id, uuid, card, plugged: [radio]),
            mark(id, uuid, card, plugged: ["DC:A6:32:99:02:03"]), true
        ),
        ("one of two cards was replaced", mark(id, nil, card, dock), mark(id, nil, otherCard, dock), true),
        ("a docking station has gone", mark(id, nil, card, plugged: [dock]), mark(id, nil, card), true),
        (
            "a clone with the adapter that wrote the image", mark(id, nil, card, plugged: [dock]),
            mark(id, nil, otherCard, plugged: [dock]), false
        ),
        (
            "a clone whose firmware tells it, at the old one's docking station", mark(id, uuid, plugged: [dock]),
            mark(id, otherUUID, plugged: [dock]), false
        ),
        ("no card inside is found yet", mark(id, nil, card, plugged: [radio]), mark(id, nil, plugged: [radio]), true),
        ("no card inside, and another adapter", mark(id, nil, plugged: [radio]), mark(id, nil, plugged: [dock]), false),
        ("a card counts as one that was plugged in before", mark(id, nil, plugged: [card]), mark(id, nil, card), true),
        (
            "the only card was replaced, and nothing else is known", mark(id, nil, card),
            mark(id, nil, plugged: [radio]), false
        ),
        ("a backup on the same hardware, installed anew", mark(id, nil, card), mark(otherID, nil, card), true),
        ("a clone with the same machine-id", mark(id, nil, card), mark(id, nil, otherCard), false),
        ("a clone with another machine-id", mark(id, nil, card), mark(otherID, nil, otherCard), false),
        ("a clone whose firmware tells it", mark(id, uuid, card), mark(id, otherUUID, card), false),
        (
            "firmware of one number for all", mark(id, "03000200-0400-0500-0006-000700080009", card),
            mark(id, "03000200-0400-0500-0006-000700080009", otherCard), false
        ),
        (
            "firmware of zeros here and of ones there", mark(id, "00000000-0000-0000-0000-000000000000"),
            mark(id, "ffffffff-ffff-ffff-ffff-ffffffffffff"), true
        ),
        (
            "a virtual machine with a card, copied with its number", mark(id, uuid, "52:54:00:9b:34:56"),
            mark(id, uuid, "52:54:00:9b:34:57"), false
        ),
        ("a virtual machine without a card, the same", mark(id, uuid), mark(otherID, uuid), true),
        ("a virtual machine without a card, another", mark(id, uuid), mark(id, otherUUID), false),
        ("nothing but machine-id, the same", mark(id, nil), mark(id, nil), true),
        ("nothing but machine-id, another", mark(id, nil), mark(otherID, nil), false),
        ("the number can be read here only: the agent ran as root", mark(id, nil, card), mark(id, uuid, card), true),
        ("no adapter is found yet", mark(id, nil, card), mark(id, nil), true),
        ("no adapter is found yet, of another", mark(id, nil, card), mark(otherID, nil), false),
        (
            "addresses that say nothing in common",
            mark(id, nil, plugged: [radio, "00:1A:7D:DA:71:13", "01:00:5e:00:00:01", "00:E0:4C:53:44:58"]),
            mark(id, nil, plugged: [dock, "00:1A:7D:DA:71:13", "01:00:5e:00:00:01", "00:E0:4C:53:44:58"]), false
        ),
        (
            "two guests of QEMU with its first card", mark(id, uuid, "52:54:00:12:34:56"),
            mark(id, otherUUID, "52:54:00:12:34:56"), false
        ),
        ("nothing was known", mark(nil, nil), mark(id, uuid, card), true),
        ("an image that was never started", mark("uninitialized", nil), mark(id, nil), true),
    ]

    @Test(
        "A machine is the same by its adapters and its firmware, and by machine-id where it shows neither",
        arguments: cases)
    func same(_ name: String, _ stored: MachineMark, _ here: MachineMark, _ isSame: Bool) {
        #expect(stored.isSame(as: here) == isSame, "\(name)")
        #expect(here.isSame(as: stored) == isSame, "\(name), the other way round")
    }

    @Test("What is written is read again, and anything else is damaged")
    func file() throws {
        let mark = Self.mark(Self.id, Self.uuid, Self.card, plugged: [Self.radio])
        #expect(MachineMark(text: mark.text)?.text == mark.text)
        #expect(MachineMark(text: Self.mark(nil, nil).text)?.text == "end\n")
        for count in 0..<mark.text.count { #expect(MachineMark(text: String(mark.text.prefix(count))) == nil) }
        for (at, character) in mark.text.enumerated() where character == " " || character == "\n" {
            var damaged = Array(mark.text)
            damaged[at] = "x"
            #expect(MachineMark(text: String(damaged)) == nil)
        }
        #expect(MachineMark(text: mark.text + "\0") == nil)
        #expect(MachineMark(text: String(repeating: "\0", count: MachineMark.fileBytes)) == nil)
    }

    @Test("The file has no machine-id, but what systemd derives from it for this program")
    func derived() {
        // For this machine-id, the expected id is what this command prints:
        // systemd-id128 machine-id --app-specific=7b1e5a0c93424d6fa831e4570bc296dd
        #expect(Self.mark(Self.id, nil).text == "machine-id ded7cffdb1104179adf2785172b15952\nend\n")
    }

    @Test("What a machine gets is added, up to twenty lines, and what is there comes first")
    func learning() throws {
        let old = Self.mark(Self.id, nil, Self.card)
        let new = old.learning(Self.mark(Self.otherID, Self.uuid, plugged: [Self.radio]))
        for part in [Self.mark(nil, nil, Self.card), Self.mark(nil, nil, plugged: [Self.radio])] {
            #expect(new.isSame(as: part))
        }
        for part in [Self.mark(Self.id, nil), Self.mark(Self.otherID, nil)] { #expect(new.isSame(as: part)) }
        #expect(!new.isSame(as: Self.mark(Self.id, Self.otherUUID, Self.card)))
        #expect(new.learning(Self.mark(nil, nil)).text == new.text && new.learning(new).text == new.text)
        let many = MachineMark(
            machineID: nil, productUUID: nil, builtIn: (10..<99).map { "00:1e:06:30:4e:\($0)" }, addresses: [])
        #expect(many.text.utf8.count == 20 * "built-in 001e06304e10\n".utf8.count + 4)
        let learned = many.learning(Self.mark(nil, nil, Self.card))
        #expect(learned.isSame(as: Self.mark(nil, nil, Self.card)) && learned.text.utf8.count == many.text.utf8.count)
        let most = Self.mark(Self.id, Self.uuid).learning(many)
        #expect(most.text.utf8.count < MachineMark.fileBytes && MachineMark(text: most.text)?.text == most.text)
    }
}
