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
        // A network card, a bridge without a device, and a card with a changed address.
        for (name, address, type, isDevice) in [
            ("eth0", "00:1e:06:30:4e:a1", "0", true), ("br0", "00:1e:06:30:4e:a2", "0", false),
            ("wlan0", "00:1e:06:30:4e:a3", "3", true),
        ] {
            mkdir("\(root)/class/net/\(name)", 0o700)
            if isDevice { mkdir("\(root)/class/net/\(name)/device", 0o700) }
            try write("\(address)\n", to: "\(root)/class/net/\(name)/address")
            try write("\(type)\n", to: "\(root)/class/net/\(name)/addr_assign_type")
        }
        let text = PlaceSurvey(etc: root, sys: root).mark().text
        let lines = text.split(separator: "\n")
        #expect(lines.contains("product-uuid 4c4c4544003835108052b7c04f4e4d32"))
        #expect(
            text.hasPrefix("machine-id ")
                && lines.filter { $0.hasPrefix("address 001e06304e") } == ["address 001e06304ea1"])
        let nothing = PlaceSurvey(etc: "/nonexistent", sys: "/nonexistent").mark()
        #expect(!nothing.text.hasPrefix("machine-id"))
    }
}
