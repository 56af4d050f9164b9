import ConfigurationFile
import Testing

@testable import BoxPhoneCommand

@Suite("What boxphone need not be told each time")
struct PhoneSettingsTests {
    private static let path = "/home/anna/.config/boxphone/config.toml"

    private func settings(_ text: String) throws(ConfigurationError) -> PhoneSettings {
        try PhoneSettings(try TOMLDocument(bytes: Array(text.utf8), path: Self.path), path: Self.path)
    }

    private func refusal(_ text: String) -> String {
        do {
            _ = try settings(text)
            return ""
        } catch {
            return error.description
        }
    }

    @Test("The radio is Bluetooth, unless one is named, or a directory that only the other one has")
    func chosenRadio() {
        #expect(PhoneSettings().chosenRadio == .bluez)
        #expect(PhoneSettings(air: "/tmp/air").chosenRadio == .loopback)
        #expect(PhoneSettings(radio: .bluez, air: "/tmp/air").chosenRadio == .bluez)
        #expect(PhoneSettings(radio: .loopback).chosenRadio == .loopback)
    }

    @Test("An empty file changes nothing, and each key changes its own")
    func keys() throws {
        #expect(try settings("# nothing\n") == PhoneSettings())
        let text = """
            radio = "bluez"
            adapter = "hci1"
            directory = "/srv/phone"
            air = "/tmp/air"
            via = "l2cap"
            """
        let all = PhoneSettings(directory: "/srv/phone", radio: .bluez, adapter: "hci1", air: "/tmp/air", via: .l2cap)
        #expect(try settings(text) == all)
        #expect(PhoneSettings.keyNames.allSatisfy { text.contains($0 + " = ") })
    }

    @Test("An unknown key is refused with file and line, and with the name that was meant")
    func unknownKeys() {
        #expect(refusal("# a\nradoi = \"bluez\"\n") == "\(Self.path):2: there is no key radoi; did you mean radio?")
        #expect(refusal("colour = true\n").hasSuffix("the keys are radio, adapter, directory, air, via"))
        #expect(
            refusal("[radio]\nkind = \"bluez\"\n").contains(":2: there is no key radio.kind; keys do not belong in"))
        #expect(
            refusal("[phone]\nradio = \"bluez\"\n").contains(":1: there is no section [phone]; keys do not belong in"))
    }

    @Test(
        "A value that a key cannot have is refused with what to write",
        arguments: [
            ("radio = \"wifi\"", "write loopback or bluez"), ("radio = 3", "write loopback or bluez"),
            ("via = \"\"", "write auto or gatt or l2cap"), ("directory = \"phone\"", "write an absolute path"),
            ("air = \"/a\\u0001\"", "write an absolute path"), ("adapter = \"eth0\"", "write an adapter's name"),
        ])
    func values(text: String, cure: String) {
        #expect(refusal(text).contains("\(Self.path):1: "))
        #expect(refusal(text).contains(cure))
    }

    @Test("Everything that is wrong is told at once, in the order of the lines")
    func several() {
        let lines = refusal("via = 1\nnew = 2\nradio = 3\n").split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.enumerated().allSatisfy { $1.hasPrefix("\(Self.path):\($0 + 1): ") })
    }

    @Test("The file is below XDG_CONFIG_HOME, else below the home; a relative path counts as none")
    func places() {
        func file(_ home: String?, _ config: String?) -> String? {
            PhoneEnvironment(home: home, configHome: config, dataHome: nil, radio: nil).file
        }
        #expect(file("/home/anna", nil) == Self.path)
        #expect(file("/home/anna", "/cfg") == "/cfg/boxphone/config.toml")
        #expect(file("/home/anna", "cfg") == Self.path)
        #expect(file(nil, nil) == nil)
    }

    @Test("BOXPHONE_RADIO overrides the file; empty it is not there, and nonsense is refused")
    func environment() throws {
        func radio(_ value: String?) throws(Complaint) -> PhoneSettings.Radio? {
            var settings = PhoneSettings(radio: .bluez)
            try PhoneEnvironment(home: nil, configHome: nil, dataHome: nil, radio: value).override(&settings)
            return settings.radio
        }
        #expect(try radio("loopback") == .loopback)
        #expect(try radio("") == .bluez)
        #expect(try radio(nil) == .bluez)
        let complaint = #expect(throws: Complaint.self) { try radio("wifi") }
        #expect(complaint?.status == .usage)
        #expect(complaint?.sentence.contains("BOXPHONE_RADIO=\"wifi\" is not valid") == true)
    }
}
