import ControlProtocol
import Testing

@testable import BoxAgentCommand

@Suite("Naming a phone")
struct DeviceNameTests {
    private static func device(
        _ id: String, _ user: String, _ label: String, _ state: DeviceListing.State = .active
    ) -> DeviceListing {
        DeviceListing(
            id: Array(id.utf8), user: Array(user.utf8), label: Array(label.utf8), credential: .boxHeld, state: state,
            enrolledUnixSeconds: 0, lastUsedUnixSeconds: nil, connected: false, pinAttemptsLeft: 10,
            credentialStale: false)
    }

    private let anna = device("abcd2222", "anna", "Anna's phone")
    private let bob = device("abce3333", "bob", "work")
    private let bobToo = device("xyz4444", "bob", "home")

    private func meaning(_ text: String, _ more: DeviceListing...) -> DeviceName.Meaning {
        DeviceName(text: text).meaning(among: [anna, bob, bobToo] + more)
    }

    @Test("A full id, a beginning that one id has, a label, and a user with one phone name it")
    func names() {
        for text in ["abcd2222", "ABCD2222", "abcd", "ABCD", "Anna's phone", "anna"] {
            #expect(meaning(text) == .one(anna), "\(text)")
        }
        #expect(meaning("home") == .one(bobToo))
    }

    @Test("What names nothing names nothing, the empty name included")
    func nothing() {
        for text in ["", "annas phone", "ann", "ANNA", "abcdx", "abcd22222", " anna"] {
            #expect(meaning(text) == .none, "\(text)")
        }
    }

    @Test("A beginning that several ids have, and a user with several phones, name all of them")
    func several() {
        #expect(meaning("abc") == .several([anna, bob]))
        #expect(meaning("bob") == .several([bob, bobToo]))
    }

    @Test("A label that is another phone's full id hides nothing")
    func labelLikeAnID() {
        let thief = Self.device("qqqq5555", "mallory", "abcd2222")
        #expect(meaning("abcd2222", thief) == .one(anna))
    }

    @Test("A label that is another one's user, or the beginning of another id, makes the name ambiguous")
    func labelLikeAUser() {
        let thief = Self.device("qqqq5555", "mallory", "anna")
        #expect(meaning("anna", thief) == .several([anna, thief]))
        let other = Self.device("rrrr6666", "mallory", "abcd")
        #expect(meaning("abcd", other) == .several([anna, other]))
    }

    @Test("A revoked phone is meant only where no other one is")
    func revoked() {
        let old = Self.device("abcf7777", "anna", "old", .revoked)
        #expect(meaning("anna", old) == .one(anna))
        #expect(meaning("old", old) == .one(old))
        #expect(meaning("abcf", old) == .one(old))
    }

    @Test("A label is named as the listing shows it, where it cannot be typed")
    func escaped() {
        let odd = DeviceListing(
            id: Array("tttt".utf8), user: Array("eve".utf8), label: [0xFF], credential: .phoneHeld, state: .active,
            enrolledUnixSeconds: 0, lastUsedUnixSeconds: nil, connected: false, pinAttemptsLeft: nil,
            credentialStale: false)
        #expect(meaning("\\xff", odd) == .one(odd))
    }

    @Test("A selection takes one way of naming and refuses none and two")
    func selection() {
        #expect(DeviceSelection(device: "a", user: nil) == .device(DeviceName(text: "a")))
        #expect(DeviceSelection(device: nil, user: "a") == .user(AccountName("a")))
        #expect(DeviceSelection(device: nil, user: nil, all: true) == .all)
        #expect(DeviceSelection(device: nil, user: nil) == nil)
        #expect(DeviceSelection(device: "a", user: "a") == nil)
        #expect(DeviceSelection(device: nil, user: "a", all: true) == nil)
    }

    @Test("An ambiguous name lists its candidates and is refused")
    func candidates() throws {
        let error = #expect(throws: CommandFailure.self) {
            try DeviceSelection.device(DeviceName(text: "bob")).devices(among: [anna, bob, bobToo])
        }
        #expect(error?.status == .invalid)
        #expect(error?.what.contains("\"bob\" matches 2 phones; nothing was changed") == true)
        #expect(error?.listing.count == 3)
        #expect(error?.listing.last?.contains("xyz4444") == true)
    }
}
