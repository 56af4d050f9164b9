import EventLoop
import PhoneCore
import PhoneKit
import PhoneMessages

/// What a watching person was last shown of a box: it says what one tap means, and what is news.
actor WatchedBox {
    private let boxID: String
    private let loop: EpollLoop
    private var state: BoxState?
    private var warning: LogoutWarning?
    /// What the box asks the person to allow: an answer is to what was shown last.
    private(set) var elevation: ElevationPrompt?
    private var extended: Duration?
    private var announced = AnnouncedEnd()
    /// A question waits for the next line that is typed.
    private var isAsking = false
    private var answer = false
    private let answered: WaitPoint

    /// So long after a tap that went on, another one is its second half and unlocks nothing.
    private static let doubleTap: Duration = .seconds(2)

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ boxID: String, on loop: EpollLoop) {
        self.boxID = boxID
        self.loop = loop
        answered = WaitPoint(on: loop)
    }

    /// Waits for the next line that is typed: whether it says yes. Of two questions at once it answers both.
    func nextAnswer() async -> Bool {
        isAsking = true
        let mark = answered.mark()
        return await answered.wait(since: mark) != .cancelled && answer
    }

    /// Takes a typed line as the answer to the question that is open; false where none is.
    func takesAnswer(_ line: String) -> Bool {
        guard isAsking else { return false }
        (isAsking, answer) = (false, Self.isYes(line))
        answered.signal()
        return true
    }

    nonisolated static func isYes(_ line: String) -> Bool { ["y", "yes"].contains(line.lowercased()) }

    /// What a tap is for now: going on is the more urgent of the two. Nil: to log in, where no session is open.
    func tapped() -> SessionAct? {
        if warning?.canExtend == true {
            extended = loop.now()
            return .extend
        }
        if let extended, loop.now() - extended < Self.doubleTap { return .extend }
        return state?.session == SessionState.none ? nil : .unlock
    }

    /// What to say of an event; it is what was shown from then on.
    func lines(of event: WatchEvent) -> [String] {
        switch event {
        case .state(let new):
            let bounds = state.map { $0.autoLogout != new.autoLogout } ?? false ? [new.autoLogout.line] : []
            state = new
            return [event.line(boxID: boxID)] + bounds
        case .warning(let new):
            warning = new
            announced.warned(new, at: loop.now())
            // A session that has ended, or is about to, does not go on.
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
    /// In one line, with what there is to be done.
    func line(boxID: String) -> String {
        let act = whyNot ?? "tap to put it off (Enter, or boxphone extend \(boxID))"
        return "Box \(boxID): your session ends in \(Sentences.time(seconds)), \(cause.sentence): \(act)"
    }

    /// Why a tap does not put it off; nil: it does.
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
        case .longest: "because it has reached its longest time"
        case .closing: "because the site closes"
        }
    }
}

extension SessionEnd {
    /// As the rest of "your session ended, ".
    var sentence: String {
        switch self {
        case .atTheBox: "logged out at the box"
        case .phone: "because you logged out from this phone"
        case .administrator: "because an administrator ended it"
        case .away: LogoutWarning.Cause.away.sentence
        case .idle: "because it was idle"
        case .longest: "because it has reached its longest time"
        case .closing: LogoutWarning.Cause.closing.sentence
        case .notLocked: "because it could not be locked when this phone left"
        }
    }
}
