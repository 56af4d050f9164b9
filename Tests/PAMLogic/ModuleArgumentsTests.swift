import PAMLogic
import Testing

@Suite("The module's arguments")
struct ModuleArgumentsTests {
    private func parse(_ arguments: [String]) -> (ModuleArguments, [String]) {
        var parsed = ModuleArguments()
        var complaints: [String] = []
        for argument in arguments {
            if let line = parsed.read([UInt8](argument.utf8)) {
                complaints.append(String(decoding: line.bytes, as: UTF8.self))
            }
        }
        return (parsed, complaints)
    }

    @Test("Without arguments nothing is waited for, shown or logged, at the usual socket")
    func defaults() {
        let arguments = ModuleArguments()
        #expect(arguments.waitSeconds == 0)
        #expect(!arguments.prompt && !arguments.debug && !arguments.verdict)
        #expect(arguments.socketPath == [UInt8]("/run/boxagent/pam.sock".utf8))
    }

    @Test("Every known argument is understood")
    func known() {
        let (arguments, complaints) = parse(["wait=30", "prompt", "debug", "verdict", "socket=/tmp/s"])
        #expect(complaints.isEmpty)
        #expect(arguments.waitSeconds == 30)
        #expect(arguments.prompt && arguments.debug && arguments.verdict)
        #expect(arguments.socketPath == [UInt8]("/tmp/s".utf8))
    }

    @Test("A session hook is off by default; its arguments are understood")
    func hook() {
        #expect(!ModuleArguments().keep && ModuleArguments().hookPath == nil)
        let (arguments, complaints) = parse(["keep", "hook=/etc/hook", "hook_seconds=3600", "helper=/opt/session-hook"])
        #expect(complaints.isEmpty)
        #expect(arguments.keep && arguments.hookSeconds == 3_600)
        #expect(arguments.hookPath == [UInt8]("/etc/hook".utf8))
        #expect(arguments.helperPath == [UInt8]("/opt/session-hook".utf8))
    }

    @Test("A console's helper is off by default, and is the installed program unless another is named")
    func console() {
        #expect(ModuleArguments().consolePath == nil)
        #expect(parse(["console"]).0.consolePath == [UInt8]("/usr/bin/boxagent-session".utf8))
        #expect(parse(["console=/opt/boxagent-session"]).0.consolePath == [UInt8]("/opt/boxagent-session".utf8))
    }

    @Test(
        "What is not understood is complained about and changes nothing",
        arguments: [
            "", "Prompt", "prompt ", "wait", "wait=", "wait=-1", "wait=301", "wait=1s", "wait=99999999999999999999",
            "wait= 5", "socket=", "socket=relative", "use_first_pass", "verdict=1",
            "keep=1", "hook", "hook=", "hook=/", "hook=/a/", "hook=relative", "hook_seconds=0", "hook_seconds=3601",
            "helper=x", "console=", "console=relative", "console=/", "consoles",
            "hook=/" + String(repeating: "a", count: 255),
            "socket=/" + String(repeating: "a", count: 107),
        ])
    func unknown(argument: String) {
        let (arguments, complaints) = parse([argument])
        #expect(arguments == ModuleArguments())
        #expect(complaints.count == 1)
    }

    @Test("The bounds themselves are taken")
    func bounds() {
        let path = "/" + String(repeating: "a", count: ModuleArguments.socketPathBytes - 1)
        let (arguments, complaints) = parse(["wait=300", "socket=" + path])
        #expect(complaints.isEmpty)
        #expect(arguments.waitSeconds == 300)
        #expect(arguments.socketPath.count == ModuleArguments.socketPathBytes)
    }

    @Test("A complaint shows a foreign argument as one printable line")
    func printable() throws {
        let complaint = try #require(parse(["\u{1B}[2Jü\nforged: line"]).1.first)
        #expect(complaint.hasPrefix("ignored the argument \"?[2J???forged: line\""))
        #expect(complaint.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
}
