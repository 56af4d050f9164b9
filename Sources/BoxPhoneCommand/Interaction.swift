import VaultPort
import PhoneCore
import PhoneKit
import TextOutput
import Vault

extension Program {
    /// Shows the phone's progress, and asks the user for decisions.
    ///
    /// - Parameters:
    ///   - watched: Supplies the next typed line while a box is watched.
    ///   - sendsAgain: True to send a doubtful stored password without a question.
    func interaction(watched: WatchedBox? = nil, sendsAgain: Bool = false) -> PhoneInteraction {
        PhoneInteraction(
            progress: { event in show(event) },
            chooseBox: { boxes in await choose(among: boxes) },
            sendAgain: { box, doubt in
                if sendsAgain { return true }
                return await isSentAgain(Sentences.sendAgain(box, doubt), watched)
            })
    }

    private func isSentAgain(_ question: String, _ watched: WatchedBox?) async -> Bool {
        guard Terminal.exists else { return false }
        await progress.end()
        guard let watched else {
            return WatchedBox.isYes((try? await terminal.askChoice(question, otherwise: "")) ?? "")
        }
        console.note(question, .yellow)
        let isWanted = await watched.nextAnswer()
        if !isWanted { console.note("Nothing was sent.") }
        return isWanted
    }

    // SAFETY: `Phone` runs on the loop and calls this there, and the progress line is pinned to the loop as well.
    private func show(_ event: PhoneProgress) {
        switch event {
        case .passedBy(let id, let problem):
            sayAside("a box in range shows \(id), but it \(problem); nothing was sent to it", .yellow)
        case .lesserCarrier(let id, let shortcoming): sayAside("box \(id) \(shortcoming)", .yellow)
        case .compare(let digits):
            progress.assumeIsolated { $0.end() }
            console.say("Six digits: \(SixDigits.spaced(digits)). Compare them with the administrator's terminal.")
        case .phoneEnrolled(let phone):
            sayAside(
                "\(phone.line). If this was not you, tell the site's administrator at once.", .yellow)
        case .request(.waitingForPrompt) where !console.showsProgress, .request(.passwordMustChange):
            // Readers of a log, and scripts that then open the prompt, need this line as well.
            console.note(Self.text(event))
        default: progress.assumeIsolated { $0.show(Self.text(event)) }
        }
    }

    /// Clears the progress line, then prints a line on standard error.
    // SAFETY: called from `show` only, on the loop that the progress line is pinned to.
    private func sayAside(_ line: String, _ colour: Console.Colour? = nil) {
        progress.assumeIsolated { $0.end() }
        console.note(line, colour)
    }

    private static func text(_ event: PhoneProgress) -> String {
        switch event {
        case .searching(""): "looking for a box of the site"
        case .retrying(""): "trying again"
        case .searching(let id): "looking for box \(id)"
        case .connecting(let id): "connecting to box \(id)"
        case .retrying(let id): "trying box \(id) again"
        case .connected(let id): "talking to box \(id)"
        case .waitingForAdministrator: "waiting for the administrator to confirm"
        case .request(.waitingForPrompt): "the box has the password and waits for its login prompt"
        case .request(.delivered): "the login program is checking the password"
        case .request(.passwordAccepted): "the password was accepted; waiting for the session"
        case .request(.passwordMustChange): "the box asks for a new password; type it on its screen"
        case .passedBy, .lesserCarrier, .compare, .phoneEnrolled: ""
        }
    }

    private func choose(among boxes: [KnownBox]) async -> KnownBox? {
        guard Terminal.exists else { return nil }
        await progress.end()
        console.note("Several of your boxes in range have the box ID \(boxes.first?.digits ?? ""):")
        for (index, box) in boxes.enumerated() {
            console.note("  \(index + 1)  \(box.name(among: boxes))  \(box.userText)  \(box.labelText)")
        }
        let answer = try? await terminal.askChoice("Number of the box: ", otherwise: "name one box")
        guard let number = answer.flatMap({ Int($0) }), boxes.indices.contains(number - 1) else { return nil }
        return boxes[number - 1]
    }
}

extension KnownBox {
    /// The user's name, safe to print.
    var userText: String { String(decoding: user, as: UTF8.self).escaped }
    /// This phone's own name, safe to print.
    var labelText: String { String(decoding: label, as: UTF8.self).escaped }
}
