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

    private static func mark(_ id: String?, _ uuid: String?, _ addresses: String...) -> MachineMark {
        MachineMark(machineID: id, productUUID: uuid, addresses: addresses)
    }

    /// The event, the stored mark, the mark that is found now, and whether both are the same machine.
    private static let cases: [(String, MachineMark, MachineMark, Bool)] = [
        ("the same, unchanged", mark(id, uuid, card, radio), mark(id, uuid, card, radio), true),
        ("an adapter was replaced", mark(id, uuid, card, radio), mark(id, uuid, card, "DC:A6:32:99:02:03"), true),
        ("a docking station has gone", mark(id, nil, card, "00:50:b6:11:22:33"), mark(id, nil, card), true),
        (
            "a clone at the old one's docking station has it alone in common",
            mark(id, uuid, card, "00:50:b6:11:22:33"),
            mark(id, otherUUID, "00:1e:06:30:4e:a2", "00:50:b6:11:22:33"), false
        ),
        ("the only card was replaced, and nothing else is known", mark(id, nil, card), mark(id, nil, radio), false),
        ("a backup on the same hardware, installed anew", mark(id, nil, card), mark(otherID, nil, card), true),
        ("a clone with the same machine-id", mark(id, nil, card), mark(id, nil, "00:1e:06:30:4e:a2"), false),
        ("a clone with another machine-id", mark(id, nil, card), mark(otherID, nil, "00:1e:06:30:4e:a2"), false),
        ("a clone whose firmware tells it", mark(id, uuid, card), mark(id, otherUUID, card), false),
        (
            "firmware of one number for all", mark(id, "03000200-0400-0500-0006-000700080009", card),
            mark(id, "03000200-0400-0500-0006-000700080009", "00:1e:06:30:4e:a2"), false
        ),
        (
            "firmware of zeros here and of ones there", mark(id, "00000000-0000-0000-0000-000000000000"),
            mark(id, "ffffffff-ffff-ffff-ffff-ffffffffffff"), true
        ),
        (
            "a virtual machine with a card, copied with its number", mark(id, uuid, "52:54:00:12:34:56"),
            mark(id, uuid, "52:54:00:12:34:57"), false
        ),
        ("a virtual machine without a card, the same", mark(id, uuid), mark(otherID, uuid), true),
        ("a virtual machine without a card, another", mark(id, uuid), mark(id, otherUUID), false),
        ("nothing but machine-id, the same", mark(id, nil), mark(id, nil), true),
        ("nothing but machine-id, another", mark(id, nil), mark(otherID, nil), false),
        ("the number can be read here only: the agent ran as root", mark(id, nil, card), mark(id, uuid, card), true),
        ("no adapter is found yet", mark(id, nil, card), mark(id, nil), true),
        ("no adapter is found yet, of another", mark(id, nil, card), mark(otherID, nil), false),
        (
            "addresses that say nothing in common", mark(id, nil, card, "00:1A:7D:DA:71:13", "01:00:5e:00:00:01"),
            mark(id, nil, "00:1e:06:30:4e:a2", "00:1A:7D:DA:71:13", "01:00:5e:00:00:01"), false
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
        let mark = Self.mark(Self.id, Self.uuid, Self.card, Self.radio)
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
        // The output of `systemd-id128 machine-id --app-specific=7b1e5a0c93424d6fa831e4570bc296dd`, with this
        // machine-id in /etc.
        #expect(Self.mark(Self.id, nil).text == "machine-id ded7cffdb1104179adf2785172b15952\nend\n")
    }

    @Test("What a machine gets is added, up to twenty lines, and nothing is taken away")
    func learning() throws {
        let old = Self.mark(Self.id, nil, Self.card)
        let new = old.learning(Self.mark(Self.otherID, Self.uuid, Self.radio))
        for part in [Self.mark(nil, nil, Self.card), Self.mark(nil, nil, Self.radio)] { #expect(new.isSame(as: part)) }
        for part in [Self.mark(Self.id, nil), Self.mark(Self.otherID, nil)] { #expect(new.isSame(as: part)) }
        #expect(!new.isSame(as: Self.mark(Self.id, Self.otherUUID, Self.card)))
        #expect(new.learning(Self.mark(nil, nil)).text == new.text && new.learning(new).text == new.text)
        let many = MachineMark(
            machineID: nil, productUUID: nil, addresses: (10..<99).map { "00:1e:06:30:4e:\($0)" })
        #expect(many.text.utf8.count == 20 * "address 001e06304e10\n".utf8.count + 4)
        #expect(many.learning(Self.mark(nil, nil, Self.card)).text == many.text)
        let most = Self.mark(Self.id, Self.uuid).learning(many)
        #expect(most.text.utf8.count < MachineMark.fileBytes && MachineMark(text: most.text)?.text == most.text)
    }
}
