import ArgumentParser
import PhoneKit
import PhoneMessages
import TextOutput

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Follow your session at a box until Ctrl-C.",
        discussion: """
            Stays connected, says each change, and comes back by itself after a lost connection. Meanwhile it tells the \
            box once a second how strongly it hears it, so that the box can lock your session when you leave; \
            near the box it says what one tap would do.
            """)

    @OptionGroup var box: BoxArgument

    @Flag(help: "One JSON object a line for each event.")
    var json = false

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            try await program.trying { (phone) throws(PhoneError) in
                try await phone.watch(target, program.interaction()) { event in
                    await program.progress.end()
                    program.console.say(json ? event.json(boxID: target.boxID).line : event.line(boxID: target.boxID))
                    return true
                }
            }
            return .done
        }
    }
}

extension WatchEvent {
    fileprivate func line(boxID: String) -> String {
        switch self {
        case .state(let state): state.line(boxID: boxID)
        case .accountProblem(let problem):
            "Box \(boxID): " + RequestOutcome.accountProblem(problem).explained(boxID: boxID).sentence
        case .offer(.none): "Box \(boxID): no longer near"
        case .offer(.unlock): "Near box \(boxID): tap to unlock (boxphone unlock \(boxID))"
        case .offer(.logIn): "Near box \(boxID): tap to log in (boxphone login \(boxID))"
        case .lost(let error, let pause): "Not connected: \(error) (trying again in \(Self.seconds(pause)) s)"
        }
    }

    fileprivate func json(boxID: String) -> JSONValue {
        switch self {
        case .state(let state): .record([("event", .text("state"))] + state.fields(boxID: boxID))
        case .accountProblem(let problem):
            .record([("event", .text("accountProblem")), ("box", .text(boxID)), ("problem", .text("\(problem)"))])
        case .offer(let offer):
            .record([("event", .text("offer")), ("box", .text(boxID)), ("offer", .text("\(offer)"))])
        case .lost(let error, let pause):
            .record([
                ("event", .text("lost")), ("box", .text(boxID)), ("reason", .text("\(error)")),
                ("againInSeconds", .number(Self.seconds(pause))),
            ])
        }
    }

    private static func seconds(_ pause: Duration) -> Int {
        Int(pause.components.seconds) + (pause.components.attoseconds > 0 ? 1 : 0)
    }
}
