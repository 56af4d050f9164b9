import Glibc
import PhoneKit
import PhoneMessages
import TextOutput

extension Program {
    /// Takes what the person types while the session is watched; nil without a terminal.
    func taps(to phone: Phone, _ target: BoxTarget, _ watched: WatchedBox) -> Task<Void, Never>? {
        guard Terminal.exists else { return nil }
        // In the background a read gives an error then, and the terminal is left alone; it would stop the program.
        signal(SIGTTIN, SIG_IGN)
        return loop.spawn {
            while let line = try? await terminal.askChoice("", otherwise: "") {
                let word = line.filter { !$0.isWhitespace }
                if word == "allow" || word == "deny" {
                    await answer(allow: word == "allow", phone, target, await watched.elevation)
                } else if let act = await SessionAct(typed: word, watched) {
                    await phone.tap(act, at: target)
                } else {
                    console.note(
                        "Enter unlocks, or goes on; lock, unlock, logout, extend, allow and deny do what they say; "
                            + "Ctrl-C ends.")
                }
            }
        }
    }

    private func answer(allow: Bool, _ phone: Phone, _ target: BoxTarget, _ asked: ElevationPrompt?) async {
        guard let asked else { return console.note("Box \(target.boxID) asks for nothing at the moment.") }
        guard allow else { return await phone.decline(asked, at: target) }
        do throws(PhoneError) {
            switch try await phone.allow(asked, at: target, unlock: PINUnlock(program: self, given: nil)) {
            case nil: return
            case .phonePINWrong(let left): console.note(Sentences.pinWrong(left: left), .yellow)
            case .phoneWiped: console.note(Sentences.phoneWiped, .red)
            case .noCredential:
                console.note("No password is stored for box \(target.boxID): boxphone credentials set", .yellow)
            case .gaveUp, .answered: console.note("Nothing was sent.")
            }
        } catch {
            console.note("\(error)", .yellow)
        }
    }
}

extension SessionAct {
    fileprivate init?(typed word: String, _ watched: WatchedBox) async {
        if word.isEmpty {
            self = await watched.tapped()
        } else {
            guard let act = Self.allCases.first(where: { "\($0)" == word }) else { return nil }
            self = act
        }
    }
}

extension ElevationPrompt {
    /// In one line, with what there is to be done.
    func line(boxID: String) -> String {
        let place = terminal.isEmpty ? "" : " on " + Printable.text(terminal)
        return
            "Box \(boxID): \(Printable.text(service))\(place) in the session of \(Printable.text(requester)) asks for "
            + "your password; type allow or deny, within \(seconds) s"
    }

    func json(boxID: String) -> JSONValue {
        .record([
            ("event", .text("elevation")), ("box", .text(boxID)), ("service", .text(Printable.text(service))),
            ("terminal", .text(Printable.text(terminal))), ("requester", .text(Printable.text(requester))),
            ("seconds", .number(Int(seconds))),
        ])
    }
}
