import Glibc
import PhoneCore
import PhoneKit
import PhoneMessages
import TextOutput

extension Program {
    /// Reads typed lines while the session is watched. Returns nil without a terminal.
    func taps(to phone: Phone, _ target: BoxTarget, _ watched: WatchedBox) -> Task<Void, Never>? {
        guard Terminal.exists else { return nil }
        // With SIGTTIN ignored, a read in the background only fails. Otherwise the signal would stop the program.
        signal(SIGTTIN, SIG_IGN)
        return loop.spawn {
            while let typed = try? await terminal.askChoice("", otherwise: "") {
                let line = typed.filter { !$0.isWhitespace }
                if await watched.takesAnswer(line) { continue }
                switch await TypedTap(line, watched) {
                case .act(let act): await phone.tap(act, at: target)
                case .logIn:
                    await send(target) { (unlock) throws(PhoneError) in
                        try await phone.logIn(at: target, unlock: unlock)
                    }
                case .allow(let asked):
                    await send(target) { (unlock) throws(PhoneError) in
                        try await phone.allow(asked, at: target, unlock: unlock)
                    }
                case .deny(let asked): await phone.decline(asked, at: target)
                case .nothingAsked: console.note("Box \(target.boxID) has no open request to answer.")
                case .unknown:
                    console.note(WatchCommand.keys)
                }
            }
        }
    }

    /// Sends a tap that needs the password. If the tap was not sent, prints why.
    private func send(
        _ target: BoxTarget, _ tap: (PINUnlock) async throws(PhoneError) -> LoginOutcome?
    ) async {
        do throws(PhoneError) {
            switch try await tap(PINUnlock(program: self, given: nil)) {
            case nil: return
            case .phonePINWrong(let left): console.note(Sentences.pinWrong(left: left), .yellow)
            case .phoneWiped: console.note(Sentences.phoneWiped, .red)
            case .noCredential:
                console.note(
                    "No password is stored for box \(target.boxID). Store it with: boxphone credentials set", .yellow)
            case .gaveUp, .answered, .notSentAgain: console.note("Nothing was sent.")
            }
        } catch {
            console.note("\(error)", .yellow)
        }
    }
}

/// The meaning of a typed line. An empty line is the tap that the box offers now.
private enum TypedTap {
    case act(SessionAct)
    case logIn
    case allow(ElevationPrompt)
    case deny(ElevationPrompt)
    case nothingAsked
    case unknown

    init(_ word: String, _ watched: WatchedBox) async {
        switch word {
        case "": self = await watched.tapped().map { .act($0) } ?? .logIn
        case "login": self = .logIn
        case "allow": self = await watched.elevation.map { .allow($0) } ?? .nothingAsked
        case "deny": self = await watched.elevation.map { .deny($0) } ?? .nothingAsked
        default: self = SessionAct.allCases.first { "\($0)" == word }.map { .act($0) } ?? .unknown
        }
    }
}

extension ElevationPrompt {
    /// Returns the request in one line, with the possible answers.
    func line(boxID: String) -> String {
        let place = terminal.isEmpty ? "" : " on " + Printable.text(terminal)
        return
            "Box \(boxID): \(Printable.text(service))\(place) in the session of \(Printable.text(requester)) asks for "
            + "your password. Type allow or deny within \(seconds) s."
    }

    func json(boxID: String) -> JSONValue {
        .record([
            ("event", .text("elevation")), ("box", .text(boxID)), ("service", .text(Printable.text(service))),
            ("terminal", .text(Printable.text(terminal))), ("requester", .text(Printable.text(requester))),
            ("seconds", .number(Int(seconds))),
        ])
    }
}
