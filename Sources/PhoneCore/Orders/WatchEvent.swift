import PhoneMessages

/// An event for the person during a watch.
public indirect enum WatchEvent: Sendable, Equatable {
    /// The box's state, at first and at each change.
    case state(BoxState)
    /// A session of this phone has ended. The next state may still name another session.
    case sessionEnded(SessionEnd)
    /// The effect that a tap has while the phone is near. Show the offer, and act only on a tap.
    case offer(Offer)
    /// The session ends soon. The warning says whether a tap postpones the end; nil withdraws the warning.
    case warning(LogoutWarning?)
    /// The result of a tap.
    case acted(SessionAct, RequestOutcome)
    /// The result of a login by a tap. The login's progress is shown before.
    case loggedIn(RequestOutcome)
    /// A program on the box asks for the person's password. Show box, service, terminal and requester, and answer with
    /// `WatchTap.allow` or `WatchTap.decline`. Nil if no answer is needed any more.
    case elevation(ElevationPrompt?)
    /// The result of `WatchTap.allow` or `WatchTap.decline`.
    case answered(allowed: Bool, RequestOutcome)
    /// The channel is lost, and with it all offers, warnings and requests. The phone reconnects after the pause.
    case lost(PhoneError, pause: Duration)
}

/// An act on the session by a tap.
public enum SessionAct: Sendable, Equatable, CaseIterable {
    case lock
    case unlock
    case logout
    /// Postpone the automatic logout that the box warns of.
    case extend

    var request: PhoneRequest {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .logout: .logout
        case .extend: .extend
        }
    }

    var kind: RequestKind { self == .extend ? .simple : .session }
}

/// A tap of the person during a watch.
public enum WatchTap: Sendable {
    case act(SessionAct)
    /// Logs in with the credential, or with the PIN for it. `isStored` is false for a password that was just entered.
    case logIn(PhoneRequest, isStored: Bool = true)
    case allow(PhoneRequest, isStored: Bool = true)
    case decline(ElevationID)

    /// The request to send, and the kind of its answer.
    var request: (PhoneRequest, RequestKind) {
        switch self {
        case .act(let act): (act.request, act.kind)
        case .logIn(let request, _), .allow(let request, _): (request, .login)
        case .decline(let id): (.declineElevation(id), .simple)
        }
    }

    /// True if the tap sends the stored password.
    var isStored: Bool {
        switch self {
        case .logIn(_, let isStored), .allow(_, let isStored): isStored
        case .act, .decline: false
        }
    }

    /// The tap without its secret, which the phone forgets once it was sent.
    var gesture: Gesture {
        switch self {
        case .act(let act): .act(act)
        case .logIn: .logIn
        case .allow: .answer(allowed: true)
        case .decline: .answer(allowed: false)
        }
    }

    enum Gesture: Sendable {
        case act(SessionAct)
        case logIn
        case answer(allowed: Bool)

        /// True if progress is shown: for a login, but not for an elevation, whose program shows its own.
        var isShown: Bool {
            guard case .logIn = self else { return false }
            return true
        }

        func told(_ outcome: RequestOutcome) -> WatchEvent {
            switch self {
            case .act(let act): .acted(act, outcome)
            case .logIn: .loggedIn(outcome)
            case .answer(let allowed): .answered(allowed: allowed, outcome)
            }
        }
    }
}
