import AgentCore
import EventLoop
import Glibc
import Testing

@testable import BoxAgent

@Suite("What the system says of this machine")
struct PlaceSurveyTests {
    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "we"))
        defer { fclose(file) }
        fputs(text, file)
    }

    @Test("Network cards count by the addresses that they were made with, and a restart finds the same machine")
    func survey() throws {
        var template = Array("/tmp/place-XXXXXX\0".utf8CString.dropLast())
        let root = String(cString: try #require(mkdtemp(&template)))
        defer { _ = try? ChildProcess.runBlocking(ChildCommand("/bin/rm", ["-rf", root], timeLimit: .seconds(20))) }
        for path in ["/class", "/class/net", "/class/dmi", "/class/dmi/id"] { mkdir(root + path, 0o700) }
        try write("0123456789abcdef0123456789abcdef\n", to: root + "/machine-id")
        try write("4C4C4544-0038-3510-8052-B7C04F4E4D32\n", to: root + "/class/dmi/id/product_uuid")
        // A network card, a bridge without a device, a card with a changed address, and a USB card. The machine that
        // runs the test has no card with these names.
        for (name, address, type, bus) in [
            ("z-card", "00:1e:06:30:4e:a1", "0", "pci"), ("z-bridge", "00:1e:06:30:4e:a2", "0", nil),
            ("z-changed", "00:1e:06:30:4e:a3", "3", "pci"), ("z-usb", "00:1e:06:30:4e:a4", "0", "usb"),
        ] {
            let card = "\(root)/class/net/\(name)"
            mkdir(card, 0o700)
            if let bus {
                mkdir(card + "/device", 0o700)
                symlink("../../../../bus/\(bus)", card + "/device/subsystem")
            }
            try write("\(address)\n", to: card + "/address")
            try write("\(type)\n", to: card + "/addr_assign_type")
        }
        // Many containers add one interface each.
        for number in 0..<200 { mkdir("\(root)/class/net/veth\(number)", 0o700) }
        let text = PlaceSurvey(etc: root, sys: root).mark().text
        let lines = text.split(separator: "\n")
        #expect(lines.contains("product-uuid 4c4c4544003835108052b7c04f4e4d32"))
        #expect(text.hasPrefix("machine-id "))
        #expect(lines.filter { $0.hasPrefix("built-in") } == ["built-in 001e06304ea1"])
        #expect(lines.contains("address 001e06304ea4"))
        let nothing = PlaceSurvey(etc: "/nonexistent", sys: "/nonexistent").mark()
        #expect(!nothing.text.hasPrefix("machine-id"))
    }
}
