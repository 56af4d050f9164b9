import AgentCore
import Names
import PhoneCore
import PhoneMessages
import Secrets
import VaultPort

/// The orders of users to their phones.
extension World {
    mutating func phoneStep() {
        let phone = Int.random(in: 0..<phones.count, using: &random)
        guard phones[phone].errand != nil else { return begin(phone) }
        if interrupt(phone) { return drain() }
        // Most single events on a link are dull, so several happen at once.
        for _ in 0..<Int.random(in: 1...40, using: &random) where violation == nil { if !move(phone) { break } }
    }

    /// Sometimes taps, cancels, or loses the link. Returns false if nothing of that happened.
    private mutating func interrupt(_ phone: Int) -> Bool {
        if phones[phone].errand?.elevation != nil, chance(30) {
            tap(phone)
            return true
        }
        switch Int.random(in: 0..<200, using: &random) {
        case 0, 1: cut(phone)
        case 2: happen(.phone(phone, .cancel))
        case 3..<6 where phones[phone].errand?.purpose == .watch: happen(.phone(phone, .stop))
        case 6..<40 where phones[phone].errand?.purpose == .watch: tap(phone)
        default: return false
        }
        return true
    }

    private mutating func tap(_ phone: Int) {
        if let elevation = phones[phone].errand?.elevation, chance(70) {
            phones[phone].errand?.elevation = nil
            guard chance(75) else { return happen(.phone(phone, .tap(.decline(elevation)))) }
            return happen(.phone(phone, .tap(.allow(.elevate(elevation, password(of: phone))))))
        }
        let act = SessionAct.allCases.randomElement(using: &random) ?? .lock
        happen(.phone(phone, .tap(.act(act))))
    }

    private mutating func begin(_ phone: Int) {
        guard phones[phone].isEnrolled, let row = phones[phone].vault.row?.box else { return enrol(phone) }
        let target = BoxTarget(row)
        let ownsSession = phones[phone].device.map { device in logind.sessions.values.contains { $0.owner == device } }
        if ownsSession == true, chance(60) { return actOnSession(phone, target) }
        switch Int.random(in: 0..<20, using: &random) {
        case 0 where row.mode == .boxHeld && !phones[phone].hasNothingStored:
            let (old, new) = (chance(80) ? phones[phone].pin : "0000", phones[phone].pin)
            run(.request(target, .changePIN(old: secret(old), new: secret(new))), .other, phone)
        case 1:
            run(.request(target, .setAutoLogout(seconds: UInt32.random(in: 0...1_200, using: &random))), .other, phone)
        case 2:
            let thresholds = chance(50) ? nil : SignalThresholds(nearDBm: -55, farDBm: -75)
            run(.request(target, .setThresholds(thresholds)), .other, phone)
        case 3: run(.ping(target, size: Int.random(in: 1...3_000, using: &random), count: 2), .other, phone)
        case 4: run(.request(target, .status), .other, phone)
        case 5, 6: run(.watch(target), .watch, phone)
        case 7: run(.request(target, .lock), .lock, phone)
        default: logIn(phone, row)
        }
    }

    private mutating func actOnSession(_ phone: Int, _ target: BoxTarget) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: run(.request(target, .lock), .lock, phone)
        case 2: run(.request(target, .unlock), .other, phone)
        case 3: run(.request(target, .logout), .other, phone)
        case 4: run(.extend(target), .other, phone)
        default: run(.watch(target), .watch, phone)
        }
    }

    private mutating func logIn(_ phone: Int, _ row: KnownBox) {
        let target = BoxTarget(row)
        if row.mode == .boxHeld, phones[phone].hasNothingStored {
            phones[phone].hasNothingStored = false
            let stored = password(of: phone, isStored: true)
            return run(.request(target, .storeCredential(stored, pin: secret(phones[phone].pin))), .other, phone)
        }
        if row.mode == .phoneHeld, chance(40) {
            return run(.request(target, .login(password(of: phone))), .login, phone)
        }
        run(.login(target, asksPerson: chance(70)), .login, phone)
    }

    /// Enrols with the code on an administrator's terminal, if one is shown for this user, or rarely for another user.
    private mutating func enrol(_ phone: Int) {
        guard let shown = commands.values.compactMap(\.code).min(by: { $0.number < $1.number }),
            shown.user == phones[phone].user || chance(10),
            let code = try? EnrolmentCode(parsing: SecretBytes(copying: shown.uri))
        else { return }
        run(.enrol(code, label: Array("phone \(phone)".utf8), waiting: phones[phone].vault.row?.box), .enrol, phone)
    }

    mutating func run(_ order: Order, _ purpose: WorldErrand.Purpose, _ phone: Int) {
        let errand = Errand(order, as: phones[phone].capabilities, now: elapsed)
        phones[phone].errand = WorldErrand(errand: errand, purpose: purpose, step: judge.step, begun: elapsed)
        judge.sights.note(.errandsBegun)
        if trace != nil { trace?.append("phone \(phone) begins: \(purpose)") }
        happen(.phone(phone, .time))
        drain()
    }
}
