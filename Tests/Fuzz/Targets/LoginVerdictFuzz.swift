import AgentCore
import PAMProtocol
import PhoneMessages

/// The verdict of one delivered credential, with any events in any order.
enum LoginVerdictFuzz {
    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        let purpose = [LoginVerdict.Purpose.login, .elevation, .authorization][Int(steps.choice(of: 3))]
        var machine = LoginVerdict(purpose, deliveredAt: .zero)
        var told = Told(purpose: purpose)
        while let kind = steps.next(of: 15) {
            let event = event(kind, &steps)
            told.check(machine.handle(event, now: steps.now), after: event)
            if case .timer = event { promiseNothingIsDue(machine.deadline, at: steps.now) }
        }
        // After any events, the end of the connection ends everything.
        told.check(machine.handle(.connectionLost, now: steps.now), after: .connectionLost)
        promise(told.answers == 1, "the tap was not answered exactly once")
        promise(told.isFinished && !told.isInSession, "a handle that is gone is not finished")
        return 0
    }

    private static func event(_ kind: UInt8, _ steps: inout FuzzSteps) -> LoginVerdict.Event {
        switch kind {
        case 0: .timer
        case 1: .connectionLost
        case 2: .module(.verdictReached)
        case 3: .module(.accountEntered)
        case 4: .module(.credentialsEntered)
        case 5: .module(.notAccepted)
        case 6: .module(.passwordExpired)
        case 7, 8: .module(.sessionOpened(logindSession: steps.bytes(), terminal: nil))
        case 9: .module(.sessionClosed)
        case 10: .tested
        case 11: .module(.credentialsRefreshed)
        case 12: .nothingUnlocked
        case 13: .agentStops
        default: .module(.ended(status: UInt64(steps.choice(of: 32))))
        }
    }

    private struct Told {
        let purpose: LoginVerdict.Purpose
        var answers = 0
        var isFinished = false
        var isInSession = false
        private var stages: [LoginProgress] = []
        private var seen: [PAMEvent] = []
        private var hasSetCredentials = false

        init(purpose: LoginVerdict.Purpose) { self.purpose = purpose }

        mutating func check(_ actions: [LoginVerdict.Action], after event: LoginVerdict.Event) {
            if case .module(let event) = event { seen.append(event) }
            switch event {
            case .nothingUnlocked, .module(.credentialsEntered), .module(.sessionOpened): hasSetCredentials = true
            default: break
            }
            for action in actions {
                promise(!isFinished, "something comes after the end")
                switch action {
                case .progress(let stage):
                    promise(answers == 0 && !stages.contains(stage), "a stage is told twice, or behind the answer")
                    stages.append(stage)
                case .answer(let code):
                    answers += 1
                    promise(answers == 1, "a tap is answered twice")
                    promise(code != .wrongCredentials || saysWrong(event), "a password is called wrong out of silence")
                    promise((code == .tested) == (event == .tested), "a trial and a login are taken for each other")
                    promise(code != .correct || letsIn(at: event), "somebody is let in by what shows no such thing")
                case .sessionOpened: isInSession = true
                case .sessionLasts: promise(isInSession && event == .timer, "a session is open without a look at it")
                case .sessionClosed:
                    promise(isInSession, "a session ends that never began")
                    isInSession = false
                case .finished: isFinished = true
                }
            }
        }

        private func saysWrong(_ event: LoginVerdict.Event) -> Bool {
            guard stages.isEmpty else { return false }
            return switch event {
            case .module(.ended), .module(.notAccepted): true
            default: false
            }
        }

        /// Returns true for the timer, or an end with status 0, after a session or renewed credentials. An elevation
        /// needs only credentials, and an authorization only an accepted password.
        private func letsIn(at event: LoginVerdict.Event) -> Bool {
            let isSettled = event == .timer || event == .module(.ended(status: 0))
            if isSettled, isInSession || seen.contains(.credentialsRefreshed) { return true }
            guard isSettled else { return false }
            return switch purpose {
            case .login: false
            case .elevation: hasSetCredentials
            case .authorization: stages.contains(.passwordAccepted)
            }
        }
    }
}
