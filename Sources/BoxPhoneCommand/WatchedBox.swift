import EventLoop
import PhoneCore
import PhoneKit
import PhoneMessages

/// The last shown state of a watched box, which decides the meaning of a tap, and which changes to print.
actor WatchedBox {
    private let boxID: String
    private let loop: EpollLoop
    private var state: BoxState?
    private var warning: LogoutWarning?
    /// The open elevation request. An answer applies to the request that was shown last.
    private(set) var elevation: ElevationPrompt?
    private var extended: Duration?
    private var announced = AnnouncedEnd()
    /// True while a question waits for the next typed line.
    private var isAsking = false
    private var answer = false
    private let answered: WaitPoint

    /// A tap this soon after a tap that put off a logout repeats that tap, and unlocks nothing.
    private static let doubleTap: Duration = .seconds(2)

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ boxID: String, on loop: EpollLoop) {
        self.boxID = boxID
        self.loop = loop
        answered = WaitPoint(on: loop)
    }

    /// Waits for the next typed line, and returns whether it says yes. Two open questions get the same answer.
    func nextAnswer() async -> Bool {
        isAsking = true
        let mark = answered.mark()
        return await answered.wait(since: mark) != .cancelled && answer
    }

    /// Takes a typed line as the answer to an open question. Returns false if no question is open.
    func takesAnswer(_ line: String) -> Bool {
        guard isAsking else { return false }
        (isAsking, answer) = (false, Self.isYes(line))
        answered.signal()
        return true
    }

    nonisolated static func isYes(_ line: String) -> Bool { ["y", "yes"].contains(line.lowercased()) }

    /// Returns the action of a tap: first to put off a logout, else to unlock. Nil means to log in: no session is open.
    func tapped() -> SessionAct? {
        if warning?.canExtend == true {
            extended = loop.now()
            return .extend
        }
        if let extended, loop.now() - extended < Self.doubleTap { return .extend }
        return state?.session == SessionState.none ? nil : .unlock
    }

    /// Updates the state from an event, and returns the lines to print.
    func lines(of event: WatchEvent) -> [String] {
        switch event {
        case .state(let new):
            let bounds = state.map { $0.autoLogout != new.autoLogout } ?? false ? [new.autoLogout.line] : []
            state = new
            return [event.line(boxID: boxID)] + bounds
        case .warning(let new):
            warning = new
            announced.warned(new, at: loop.now())
            // Do not print that the session continues: it has ended or is about to end.
            if new == nil, state?.session == SessionState.none || announced.isDue(at: loop.now()) { return [] }
        case .elevation(let asked): elevation = asked
        case .lost: (state, warning, elevation, announced) = (nil, nil, nil, AnnouncedEnd())
        case .acted(.extend, .done), .sessionEnded: announced.settled()
        case .acted(.extend, .refused(.notAllowed, _)):
            if let whyNot = warning?.whyNot { return ["Box \(boxID): \(whyNot)"] }
        case .offer, .acted, .answered, .loggedIn: break
        }
        return [event.line(boxID: boxID)]
    }
}

extension LogoutWarning {
    /// Returns the warning in one line, with the possible action.
    func line(boxID: String) -> String {
        let act = whyNot ?? "tap to put it off (Enter, or boxphone extend \(boxID))"
        return "Box \(boxID): your session ends in \(Sentences.time(seconds)), \(cause.sentence): \(act)"
    }

    /// The reason why a tap does not put off the logout, or nil if it does.
    var whyNot: String? {
        if canExtend { return nil }
        return cause == .away ? "only coming back puts it off" : "it cannot be put off again"
    }
}

extension LogoutWarning.Cause {
    var sentence: String {
        switch self {
        case .away: "because this phone is away"
        case .idle: "because it is idle"
        case .longest: "because of its time limit"
        case .closing: "because the site closes"
        }
    }
}

extension SessionEnd {
    /// Completes the sentence "your session ended, ".
    var sentence: String {
        switch self {
        case .atTheBox: "logged out at the box"
        case .phone: "because you logged out from this phone"
        case .administrator: "because an administrator ended it"
        case .away: LogoutWarning.Cause.away.sentence
        case .idle: "because it was idle"
        case .longest: "because of its time limit"
        case .closing: LogoutWarning.Cause.closing.sentence
        case .notLocked: "because it could not be locked when this phone left"
        }
    }
}
