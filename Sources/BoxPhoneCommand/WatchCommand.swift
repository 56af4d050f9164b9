import ArgumentParser
import Glibc
import PhoneCore
import PhoneKit
import PhoneMessages
import TextOutput

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Follow your session at a box, until Ctrl-C.",
        discussion: """
            Stays connected, shows each change, and reconnects after a lost connection. Once a second it tells the box \
            how strong its signal is; from this the box detects that you left, and locks your session. If the radio \
            cannot measure a connection, it tells the box only that it is there. Near the box it shows what one tap \
            would do. A minute before an automatic logout it shows the warning and the reason, and when a session has \
            ended, why.
            On a terminal, Enter is the tap. It puts off a logout that the box has announced, logs you in if no \
            session is open, and unlocks otherwise. You can also type `login`, `lock`, `unlock`, `logout` or `extend` \
            and press Enter; they use the same connection, because Bluetooth has only one.
            If a program on the box, such as sudo(8), may get the password from the phone, boxphone shows which \
            program asks, on which terminal and in whose session. Type `allow` or `deny` to answer.
            """)

    /// The help for typed commands.
    static let keys = """
        Keys: Enter logs in, unlocks, or puts a logout off. Or type login, lock, unlock, logout, extend, allow or \
        deny, then Enter. Ctrl-C ends.
        """

    @OptionGroup var box: BoxArgument

    @OptionGroup var listing: ListingOptions

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            try await program.trying { (phone) throws(PhoneError) in
                let watched = WatchedBox(target.boxID, on: program.loop)
                if !listing.json, Terminal.exists { program.console.note(Self.keys, .dim) }
                let taps = listing.json ? nil : program.taps(to: phone, target, watched)
                defer { taps?.cancel() }
                try await phone.watch(target, program.interaction(watched: watched)) { event in
                    await program.progress.end()
                    if listing.json {
                        program.console.sayWhole(event.json(boxID: target.boxID).line)
                    } else {
                        for line in await watched.lines(of: event) { program.console.say(line) }
                    }
                    return true
                }
            }
            return .done
        }
    }
}

extension WatchEvent {
    func line(boxID: String) -> String {
        switch self {
        case .state(let state): state.line(boxID: boxID)
        case .sessionEnded(let end): "Box \(boxID): your session ended, \(end.sentence)"
        case .offer(.none): "Box \(boxID): no longer near"
        case .offer(.unlock): "Near box \(boxID): tap to unlock (Enter, or boxphone unlock \(boxID))"
        case .offer(.logIn): "Near box \(boxID): tap to log in (Enter, or boxphone login \(boxID))"
        case .warning(let warning): warning?.line(boxID: boxID) ?? "Box \(boxID): your session continues"
        case .acted(let act, .done): "Box \(boxID): \(act.done)"
        case .acted(_, let outcome): "Box \(boxID): " + outcome.explained(boxID: boxID).sentence
        case .loggedIn(.done): "Box \(boxID): logged in"
        case .loggedIn(let outcome): "Box \(boxID): " + outcome.explained(boxID: boxID).sentence
        case .elevation(let prompt): prompt?.line(boxID: boxID) ?? "Box \(boxID): the request has ended"
        case .answered(true, .done): "Box \(boxID): allowed"
        case .answered(false, .done): "Box \(boxID): denied"
        case .answered(_, .refused(.timedOut, _)): "Box \(boxID): too late; the request had ended"
        case .answered(_, let outcome): "Box \(boxID): " + outcome.explained(boxID: boxID).sentence
        case .lost(let error, let pause): "Not connected: \(error) (trying again in \(Self.seconds(pause)) s)"
        }
    }

    fileprivate func json(boxID: String) -> JSONValue {
        switch self {
        case .state(let state): .record([("event", .text("state"))] + state.fields(boxID: boxID))
        case .sessionEnded(let end):
            .record([("event", .text("session_ended")), ("box", .text(boxID)), ("why", .word(end))])
        case .offer(let offer):
            .record([("event", .text("offer")), ("box", .text(boxID)), ("offer", .word(offer))])
        case .warning(let warning):
            .record([
                ("event", .text("logout_warning")), ("box", .text(boxID)),
                ("seconds", .number(orNull: warning.map { Int($0.seconds) })),
                ("cause", .optional(warning) { .word($0.cause) }),
                ("can_extend", warning.map { .flag($0.canExtend) } ?? .null),
            ])
        case .acted(let act, let outcome):
            .record([
                ("event", .text("acted")), ("box", .text(boxID)), ("act", .word(act)),
                ("done", .flag(outcome == .done)),
            ])
        case .loggedIn(let outcome):
            .record([("event", .text("logged_in")), ("box", .text(boxID)), ("done", .flag(outcome == .done))])
        case .elevation(let prompt): prompt?.json(boxID: boxID) ?? Self.elevationOver(boxID)
        case .answered(let allowed, let outcome):
            .record([
                ("event", .text("answered")), ("box", .text(boxID)), ("allowed", .flag(allowed)),
                ("done", .flag(outcome == .done)),
            ])
        case .lost(let error, let pause):
            .record([
                ("event", .text("lost")), ("box", .text(boxID)), ("reason", .text("\(error)")),
                ("again_in_seconds", .number(Self.seconds(pause))),
            ])
        }
    }

    private static func elevationOver(_ boxID: String) -> JSONValue {
        .record([("event", .text("elevation_over")), ("box", .text(boxID))])
    }

    private static func seconds(_ pause: Duration) -> Int {
        Int(pause.components.seconds) + (pause.components.attoseconds > 0 ? 1 : 0)
    }
}

extension SessionAct {
    fileprivate var done: String {
        switch self {
        case .lock: "locked"
        case .unlock: "unlocked"
        case .logout: "logged out"
        case .extend: "the logout is put off"
        }
    }
}
