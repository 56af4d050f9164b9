import PhoneMessages

/// What a watching phone sees.
public indirect enum WatchEvent: Sendable, Equatable {
    /// The box's state, at first and at each change.
    case state(BoxState)
    /// A session of this phone's is over; the state that follows may still name another one.
    case sessionEnded(SessionEnd)
    /// What one tap would do while the phone is near. Show it, and do nothing without the tap.
    case offer(Offer)
    /// The session ends soon, and whether one tap puts that off; nil: it does not any more.
    case warning(LogoutWarning?)
    /// What came of a tap.
    case acted(SessionAct, RequestOutcome)
    /// What came of a login by a tap; on the way there the interaction hears how far it has come.
    case loggedIn(RequestOutcome)
    /// A program on the box asks for the person's password. Show box, service, terminal and requester, and answer with
    /// `WatchTap.allow` or `WatchTap.decline`; nil: it needs no answer any more.
    case elevation(ElevationPrompt?)
    /// What came of the answer.
    case answered(allowed: Bool, RequestOutcome)
    /// The channel is gone, and with it every offer, warning and request; the phone comes back after the pause.
    case lost(PhoneError, pause: Duration)
}

/// What a tap asks of the session.
public enum SessionAct: Sendable, Equatable, CaseIterable {
    case lock
    case unlock
    case logout
    /// Put off the automatic logout that the box warns of.
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

/// What the person asked for while the phone watches.
public enum WatchTap: Sendable {
    case act(SessionAct)
    /// With the credential, or what opens it on the box. `isStored`: it is what stands behind the row of the box, and was not just entered.
    case logIn(PhoneRequest, isStored: Bool = true)
    case allow(PhoneRequest, isStored: Bool = true)
    case decline(ElevationID)

    /// What is sent, and what waiting for its answer means.
    var request: (PhoneRequest, RequestKind) {
        switch self {
        case .act(let act): (act.request, act.kind)
        case .logIn(let request, _), .allow(let request, _): (request, .login)
        case .decline(let id): (.declineElevation(id), .simple)
        }
    }

    /// Whether it sends what is stored.
    var isStored: Bool {
        switch self {
        case .logIn(_, let isStored), .allow(_, let isStored): isStored
        case .act, .decline: false
        }
    }

    /// What the person did, without what was sent: that is let go of while the answer is waited for.
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

        /// Progress of a login is shown, that of an elevation is the program's matter.
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
