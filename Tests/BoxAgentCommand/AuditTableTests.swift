import ControlProtocol
import Testing

@testable import BoxAgentCommand

@Suite("The audit log on a terminal")
struct AuditTableTests {
    private func entry(_ number: UInt64, _ event: String, detail: String, device: String? = nil) -> AuditListing {
        AuditListing(
            number: number, unixSeconds: 1_795_243_212, event: Array(event.utf8), user: Array("anna".utf8),
            device: device.map { Array($0.utf8) }, detail: Array(detail.utf8),
            actor: ActorListing(kind: .person, name: Array("root".utf8), uid: 0))
    }

    private var entries: [AuditListing] {
        [
            entry(
                1, "device-enrolled", detail: "box-held, with a label that is long",
                device: "7k2mabcdefghijklmnopqrstuv"),
            entry(2, "login-not-correct", detail: "login on tty1: wrongCredentials"),
        ]
    }

    @Test("In a pipe and on a wide terminal each entry is a line below a head")
    func wide() {
        let lines = AuditTable.lines(entries, width: nil)
        #expect(lines.count == 3)
        #expect(lines[0].split(separator: " ") == ["NUMBER", "TIME", "EVENT", "USER", "PHONE", "BY", "DETAILS"])
        #expect(lines[1].hasSuffix("root (uid 0)  box-held, with a label that is long"))
        #expect(AuditTable.lines(entries, width: 200) == lines)
    }

    @Test("On a narrow terminal nothing is cut off: the details are below their entry", arguments: [40, 60, 80])
    func narrow(width: Int) {
        let lines = AuditTable.lines(entries, width: width)
        for line in lines { #expect(line.count <= width, "\(line)") }
        let said = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        for part in ["7k2mabcd", "root (uid 0)", "with a label that is long", "login-not-correct", "wrong credential"] {
            #expect(said.contains(part), "\(part): \(lines)")
        }
    }

    @Test("A result is said in words, and other details are not touched")
    func words() {
        #expect(AuditTable.lines([entries[1]], width: nil)[1].hasSuffix("login on tty1: wrong credential"))
        // The event already says that the password was correct, so the details do not repeat it.
        let correct = [
            entry(3, "login-correct", detail: "correct"), entry(4, "login-correct", detail: "login: correct"),
        ]
        let said = AuditTable.lines(correct, width: nil).suffix(2).map { $0.split(separator: " ").last }
        #expect(said == ["0)", "login"])
    }
}
