import AgentCore
import Sessions

/// Four sessions of two phones. Limits, phones and owners change in any order.
enum LogoutScheduleFuzz {
    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        var world = World()
        while let kind = steps.next(of: 13) { world.step(kind, &steps) }
        return 0
    }

    private struct World {
        var machine = LogoutSchedule<UInt8, UInt8>()
        var open: Set<UInt8> = []
        var warned: Set<UInt8> = []
        var extensions: [UInt8: Int64] = [:]

        mutating func step(_ kind: UInt8, _ steps: inout FuzzSteps) {
            let session = steps.choice(of: 4)
            let device = session / 2
            let time = Duration.seconds(30 * Int(steps.choice(of: 60)))
            let now = steps.now
            switch kind {
            case 0, 1:
                open.insert(session)
                warned.remove(session)
                extensions[session] = 0
                perform(.opened(session, by: device, since: now, extensions: 0), now)
            case 2:
                open.remove(session)
                warned.remove(session)
                perform(.ended(session), now)
            case 3: perform(.idle(session, since: time == .zero ? nil : max(.zero, now - time)), now)
            case 4: perform(.connected(device), now)
            case 5: perform(.disconnected(device), now)
            case 6: perform(.awaySet(device, time == .zero ? nil : time), now)
            case 7: perform(.restored(device, deadline: now + time), now)
            case 8:
                let other = Duration.seconds(60 * (1 + Int(steps.choice(of: 60))))
                perform(
                    .limitsSet(
                        LogoutLimits(
                            idle: session % 2 == 0 ? time + .seconds(90) : nil, longest: device == 0 ? other : nil,
                            extensionTime: .seconds(120), extensionLimit: Int64(session))), now)
            case 9: perform(.closingSet(time == .zero ? nil : now + time), now)
            case 10: for (session, putOff) in machine.putOffs(of: device) { tap(session, putOff, now) }
            case 11:
                // An extension that is reported again must not count twice.
                guard let kept = extensions[session], kept > 0, open.contains(session) else { return }
                perform(.putOff(session, .end(times: kept)), now)
            default:
                perform(.timer, now)
                promiseNothingIsDue(machine.deadline, at: now)
            }
        }

        private mutating func tap(_ session: UInt8, _ putOff: LogoutSchedule<UInt8, UInt8>.PutOff, _ now: Duration) {
            promise(open.contains(session), "what is not open is put off")
            promise(warned.contains(session), "what nobody was warned of is put off")
            if case .end(let number) = putOff {
                promise(number <= machine.limits.extensionLimit, "an end is put off too often")
                promise(number == extensions[session, default: 0] + 1, "a tap counts twice, or not at all")
                extensions[session] = number
            }
            perform(.putOff(session, putOff), now)
        }

        private mutating func perform(_ event: LogoutSchedule<UInt8, UInt8>.Event, _ now: Duration) {
            for action in machine.handle(event, now: now) {
                switch action {
                case .logout(let session, _):
                    promise(isTimer(event), "a session ends before its time has come")
                    promise(open.remove(session) != nil, "a session ends that is not open")
                    warned.remove(session)
                case .logoutUnseen(let device):
                    promise(!open.contains { $0 / 2 == device }, "a session is called unseen that is open")
                case .warn(let session, _, _):
                    promise(open.contains(session), "somebody is warned who has no session")
                    warned.insert(session)
                case .withdrawWarning(let session):
                    promise(warned.remove(session) != nil, "a warning is taken back that nobody got")
                case .writeDeadline(_, let deadline): promise(deadline >= .zero, "a deadline before the beginning")
                case .clearDeadline: break
                }
            }
            for device in 0..<UInt8(2) {
                let next = machine.nextEnd(of: device)
                promise(next == nil || open.contains { $0 / 2 == device }, "an end without a session")
            }
        }

        private func isTimer(_ event: LogoutSchedule<UInt8, UInt8>.Event) -> Bool {
            if case .timer = event { true } else { false }
        }
    }
}
