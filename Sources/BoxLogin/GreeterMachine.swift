import ControlProtocol
import TextOutput

/// Decides what a greeter shows and does. Pure: `GreeterLoop` or a test feeds it.
///
/// A key always starts a typed login. A tap starts a login only after the agent grants the greeter's claim. On a
/// virtual terminal, the greeter claims only in the foreground. On any other, it must be the only greeter.
struct GreeterMachine: Sendable {
    enum Event: Equatable, Sendable {
        /// The request was sent to the agent's socket.
        case connected
        case told(GreeterState)
        case claimAnswered(Bool)
        /// The agent is away or refuses. Has the problem and the cure.
        case lost(problem: String, cure: String)
        case key
        /// True if this virtual terminal is in the foreground. Nil if it is not a virtual terminal.
        case foreground(Bool?)
        case timer
    }

    enum Action: Equatable, Sendable {
        case connect
        case disconnect
        case claim(LoginUser)
        /// Starts a login. Nil stands for a user who wants to type.
        case logIn(LoginUser?)
        case draw
    }

    /// How long the agent may take to answer. It answers at once unless it hangs or is starting.
    static let answerLimit: Duration = .seconds(5)
    /// The delays between attempts to reach the agent.
    static let retryDelays: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]
    /// How often the screen is redrawn, because kernel and services write messages on consoles.
    static let redrawInterval: Duration = .seconds(30)

    /// The states of the connection to the agent: `away` waits for a retry, `asked` for an answer, and `known` follows
    /// the agent's state. A failure or a timeout leads back to `away`.
    private enum AgentView: Equatable, Sendable {
        case away(problem: String, cure: String, retryAt: Duration)
        case asked(until: Duration)
        case known(GreeterState)
    }

    private var agent = AgentView.away(problem: "", cure: "", retryAt: .zero)
    private var failures = 0
    private var isForeground: Bool?
    private var claiming: (user: LoginUser, until: Duration)?
    /// The user of a tap that this greeter cannot use.
    private var refusedTap: [UInt8]?
    private var redrawAt: Duration
    private var isOver = false
    /// The message about the last attempt, shown until the next one.
    private let notice: String?

    init(now: Duration, notice: String? = nil) {
        redrawAt = now + Self.redrawInterval
        self.notice = notice
    }

    /// The time at which `timer` is due.
    var deadline: Duration {
        var next = redrawAt
        switch agent {
        case .away(_, _, let retryAt): next = min(next, retryAt)
        case .asked(let until): next = min(next, until)
        case .known: break
        }
        if let claiming { next = min(next, claiming.until) }
        return next
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .key:
            isOver = true
            return [.logIn(nil)]
        case .connected:
            agent = .asked(until: now + Self.answerLimit)
            return []
        case .told(let state):
            return told(state, now: now)
        case .claimAnswered(let isClaimed):
            guard let user = claiming?.user else { return [] }
            claiming = nil
            guard isClaimed else { return act(now) }
            isOver = true
            return [.logIn(user)]
        case .lost(let problem, let cure):
            return lost(problem, cure, now: now)
        case .foreground(let isForeground):
            self.isForeground = isForeground
            return [.draw] + act(now)
        case .timer:
            return timer(now)
        }
    }

    private mutating func told(_ state: GreeterState, now: Duration) -> [Action] {
        let before = view
        agent = .known(state)
        failures = 0
        if state.tapUser != refusedTap { refusedTap = nil }
        let actions = act(now)
        return (view == before ? [] : [.draw]) + actions
    }

    private mutating func lost(_ problem: String, _ cure: String, now: Duration) -> [Action] {
        let before = view
        let delay = Self.retryDelays[min(failures, Self.retryDelays.count - 1)]
        failures += 1
        claiming = nil
        agent = .away(problem: problem, cure: cure, retryAt: now + delay)
        return [.disconnect] + (view == before ? [] : [.draw])
    }

    private mutating func timer(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        if redrawAt <= now {
            redrawAt = now + Self.redrawInterval
            actions.append(.draw)
        }
        switch agent {
        case .away(_, _, let retryAt) where retryAt <= now:
            // The outcome of the attempt replaces this state.
            agent = .asked(until: now + Self.answerLimit)
            return actions + [.connect]
        case .asked(let until) where until <= now:
            return actions + lost(Self.silence, Self.silenceCure, now: now)
        default: break
        }
        if let claiming, claiming.until <= now {
            return actions + lost(Self.silence, Self.silenceCure, now: now)
        }
        return actions
    }

    /// Claims the tap if this greeter may use it.
    private mutating func act(_ now: Duration) -> [Action] {
        guard case .known(let state) = agent, let name = state.tapUser, claiming == nil, name != refusedTap,
            isForeground ?? (state.greeters <= 1)
        else { return [] }
        guard let user = LoginUser(name) else {
            refusedTap = name
            return [.draw]
        }
        claiming = (user, now + Self.answerLimit)
        return [.claim(user)]
    }

    private static let silence = "the login agent does not answer"
    private static let silenceCure = "start it: systemctl restart boxagentd"

    // MARK: - View

    var view: GreeterView {
        let alone = "Press any key to type your user name and password."
        switch agent {
        case .known(let state):
            let digits = Printable.text(state.boxID)
            let refusal = refusedTap.map { "A phone tapped for '\(Printable.text($0))', who cannot log in here." }
            return GreeterView(
                boxID: Array(state.boxID.utf8),
                instruction: state.radioWorks
                    ? "On your phone, choose box \(digits) and tap to log in." : "Phones cannot reach this box now.",
                state: radioLine(state),
                fallback: state.radioWorks ? "Or press any key to type your user name and password." : alone,
                notice: refusal ?? notice)
        case .asked where failures == 0, .away("", _, _):
            return GreeterView(
                instruction: "One moment.", state: "Asking the login agent.", fallback: alone,
                notice: notice)
        case .asked:
            return GreeterView(
                instruction: "Logging in with a phone is not possible now.", state: "The login agent does not answer.",
                fallback: alone)
        case .away(let problem, let cure, _):
            return GreeterView(
                instruction: "Logging in with a phone is not possible now.", state: sentence(problem),
                fallback: alone, notice: "Administrator: " + sentence(cure))
        }
    }

    private func radioLine(_ state: GreeterState) -> String {
        let name = state.radio == "bluez" ? "Bluetooth" : "Radio (\(Printable.text(state.radio)))"
        let does = Printable.text(state.radioState)
        // The agent hides the digits and has given its reason, so the radio is not to blame.
        if state.boxID.isEmpty { return sentence(does) }
        return state.radioWorks ? "\(name) is on: \(does)." : "\(name) does not work: \(does)."
    }

    private func sentence(_ text: String) -> String {
        let printable = Printable.text(text)
        return printable.prefix(1).uppercased() + printable.dropFirst() + "."
    }
}
