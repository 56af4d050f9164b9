import ControlProtocol
import TextOutput

/// What a greeter does when: pure, driven by tests and by `GreeterLoop`.
///
/// A key always leads to typing, whatever the agent does. A tap leads to a login only on the virtual terminal that is
/// in the foreground, and only once the agent has said that the tap is this greeter's.
struct GreeterMachine: Sendable {
    enum Event: Equatable, Sendable {
        /// The agent's socket took the request.
        case connected
        case told(GreeterState)
        case claimAnswered(Bool)
        /// The agent is away, or refuses: what is wrong and what to do.
        case lost(problem: String, cure: String)
        case key
        /// Whether this terminal is the one that is shown; nil: it is no virtual terminal.
        case foreground(Bool?)
        case timer
    }

    enum Action: Equatable, Sendable {
        case connect
        case disconnect
        case claim(LoginUser)
        /// Starts a login; of nobody yet, when the person wants to type.
        case logIn(LoginUser?)
        case draw
    }

    /// How long the agent may take to say what it does; it answers at once unless it hangs or is being started.
    static let answerLimit: Duration = .seconds(5)
    /// From one attempt to reach the agent to the next.
    static let retryDelays: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]
    /// Messages of the kernel and of services land on consoles: the screen is drawn again this often.
    static let redrawInterval: Duration = .seconds(30)

    private enum AgentView: Equatable, Sendable {
        case away(problem: String, cure: String, retryAt: Duration)
        case asked(until: Duration)
        case known(GreeterState)
    }

    private var agent = AgentView.away(problem: "", cure: "", retryAt: .zero)
    private var failures = 0
    private var isForeground: Bool?
    private var claiming: (user: LoginUser, until: Duration)?
    /// The tap that this greeter can do nothing with.
    private var refusedTap: [UInt8]?
    private var redrawAt: Duration
    private var isOver = false
    /// What came of the last attempt, until the next.
    private let notice: String?

    init(now: Duration, notice: String? = nil) {
        redrawAt = now + Self.redrawInterval
        self.notice = notice
    }

    /// When `timer` is due.
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
            // Until the attempt says how it went.
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

    /// Claims a tap that this greeter may act on.
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

    // MARK: - What is shown

    var view: GreeterView {
        let fallback = "Or press any key to type your user name and password."
        switch agent {
        case .known(let state):
            let digits = Printable.text(state.boxID)
            let refusal = refusedTap.map { "A phone tapped for '\(Printable.text($0))', who cannot log in here." }
            return GreeterView(
                boxID: Array(state.boxID.utf8),
                instruction: state.radioWorks
                    ? "On your phone, choose box \(digits) and tap to log in." : "Phones cannot reach this box now.",
                state: radioLine(state), fallback: fallback,
                notice: refusal ?? notice)
        case .asked where failures == 0, .away("", _, _):
            return GreeterView(
                instruction: "One moment.", state: "Asking the login agent.", fallback: fallback,
                notice: notice)
        case .asked:
            return GreeterView(
                instruction: "Logging in with a phone is not possible now.", state: "The login agent does not answer.",
                fallback: fallback)
        case .away(let problem, let cure, _):
            return GreeterView(
                instruction: "Logging in with a phone is not possible now.", state: sentence(problem),
                fallback: fallback, notice: "Administrator: " + sentence(cure))
        }
    }

    private func radioLine(_ state: GreeterState) -> String {
        let name = state.radio == "bluez" ? "Bluetooth" : "Radio (\(Printable.text(state.radio)))"
        let does = Printable.text(state.radioState)
        // The agent shows no digits: it has said why, and no radio is to blame.
        if state.boxID.isEmpty { return sentence(does) }
        return state.radioWorks ? "\(name) is on: \(does)." : "\(name) does not work: \(does)."
    }

    private func sentence(_ text: String) -> String {
        let printable = Printable.text(text)
        return printable.prefix(1).uppercased() + printable.dropFirst() + "."
    }
}
