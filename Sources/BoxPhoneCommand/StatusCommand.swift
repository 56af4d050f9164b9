import ArgumentParser
import PhoneCore
import PhoneKit
import PhoneMessages
import TextOutput

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Ask a box about your session there.")

    @OptionGroup var box: BoxArgument

    @OptionGroup var listing: ListingOptions

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let target = try await program.target(box)
            let state = try await program.trying { (phone) throws(PhoneError) in
                try await phone.status(target, program.interaction())
            }
            if listing.json {
                program.console.sayWhole(JSONValue.record(state.fields(boxID: target.boxID)).line)
            } else {
                for line in state.lines(boxID: target.boxID) { program.console.say(line) }
            }
            return .done
        }
    }
}

extension BoxState {
    func fields(boxID: String) -> [(key: String, value: JSONValue)] {
        [
            ("box", .text(boxID)), ("session", .text(session.word)),
            ("user", .text(orNull: user.map { String(decoding: $0, as: UTF8.self) })),
            ("auto_logout_seconds", .number(Int(autoLogout.seconds))),
            ("auto_logout_minimum_seconds", .number(Int(autoLogout.minimumSeconds))),
            ("auto_logout_maximum_seconds", .number(Int(autoLogout.maximumSeconds))),
            ("auto_logout_may_be_off", .flag(autoLogout.mayBeOff)),
            ("logout_in_seconds", .number(orNull: logoutInSeconds.map(Int.init))),
            ("credential_stale", .flag(credentialStale)),
            ("pin_tries_left", .number(orNull: pinAttemptsLeft.map(Int.init))),
        ]
    }

    func lines(boxID: String) -> [String] {
        var lines = [line(boxID: boxID)]
        lines.append(autoLogout.line)
        if credentialStale {
            lines.append(
                "Your password has changed since you stored it at the box. Store the new one with: boxphone "
                    + "credentials set"
            )
        }
        switch pinAttemptsLeft {
        case nil: break
        case 1: lines.append("ONE PIN try is left: a wrong PIN destroys the password that the box keeps")
        case let left?: lines.append("The box keeps your password; \(left) PIN tries are left")
        }
        return lines
    }

    /// Returns the state in one line, as `watch` prints it.
    func line(boxID: String) -> String {
        var line = "Box \(boxID): "
        switch session {
        case .none: line += "no session of yours"
        case .active: line += "your session is open"
        case .locked: line += "your session is locked"
        }
        if let user { line += " (\(String(decoding: user, as: UTF8.self).escaped))" }
        if session != .none, let left = logoutInSeconds { line += ", logs out in \(Sentences.time(left))" }
        return line
    }
}

extension AutoLogout {
    /// Names absence as the cause, because a session may end for other causes even if this logout is off.
    var line: String { "Automatic logout when you are away: \(AutoLogoutTime.text(seconds)) (may be \(boundsText))" }

    /// The times that the administrator allows.
    var boundsText: String {
        AutoLogoutTime.text(minimumSeconds) + " to " + AutoLogoutTime.text(maximumSeconds)
            + (mayBeOff ? ", or off" : "")
    }
}

extension SessionState {
    var word: String {
        switch self {
        case .none: "none"
        case .active: "active"
        case .locked: "locked"
        }
    }
}
