import AgentCore
import Names
import PhoneMessages
import Secrets

/// Intruders that follow no rule of the channel. Each has the key of a phone, a code that was shown, or nothing.
extension World {
    /// The most links of intruders at once, which is the number of places for unproven links.
    private static let linkLimit = 10

    mutating func intruderStep() {
        let ids = linkIDs.filter {
            switch links[$0]?.owner {
            case .intruder, .nobody: true
            default: false
            }
        }
        guard let id = ids.randomElement(using: &random), !chance(8) else {
            if ids.count < Self.linkLimit { comes() }
            return drain()
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) where violation == nil { act(on: id) }
        drain()
    }

    private mutating func act(on id: ChannelID) {
        guard case .intruder(let intruder, let phone)? = links[id]?.owner else { return carry(id) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0, 1: vanish(id)
        case 2: intruder.throwIn(ModelPhoneVault.bytes(Int.random(in: 0...120, using: &random), &random))
        case 3:
            // Repeats a segment that was sent before.
            if let old = links[id]?.recorded.randomElement(using: &random) { intruder.throwIn(old) }
        case 4..<35:
            // A flood of requests that does not wait for results.
            guard let phone, intruder.isConnected else { break }
            for _ in 0..<(chance(5) ? 12 : 1) { say(intruder, phone, as: links[id]?.claimed) }
        default: carry(id)
        }
        for segment in intruder.takeSegments() where links[id]?.toBox.count ?? 99 < 80 {
            links[id]?.toBox.append(segment)
            if links[id]?.recorded.count ?? 8 < 8 { links[id]?.recorded.append(segment) }
        }
        if links[id]?.toBox.count ?? 0 > 1, chance(5) { links[id]?.toBox.reverse() }
    }

    private mutating func comes() {
        let intruder = Intruder(acknowledges: chance(60))
        var owner: Int?
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            // An unknown phone.
            intruder.shake(keys, key: ModelPhoneVault.bytes(32, &random), now: elapsed)
        case 1:
            intruder.put(ModelPhoneVault.bytes(Int.random(in: 0...200, using: &random), &random), elapsed)
        case 2:
            // Replays the first segments of another link.
            let heard = linkIDs.compactMap { links[$0]?.recorded }.filter { !$0.isEmpty }
            for segment in heard.randomElement(using: &random) ?? [] { intruder.throwIn(segment) }
        case 3:
            guard let code = commands.values.compactMap(\.code).min(by: { $0.number < $1.number }) else { return }
            let psk = chance(50) ? code.psk : ModelPhoneVault.bytes(32, &random)
            intruder.shake(keys, key: ModelPhoneVault.bytes(32, &random), code: (code.id, psk), now: elapsed)
        default:
            let hostile = phones.indices.filter { phones[$0].isHostile && phones[$0].vault.row != nil }
            guard let phone = hostile.randomElement(using: &random), let row = phones[phone].vault.row else { return }
            owner = phone
            intruder.shake(keys, key: row.key, now: elapsed)
        }
        // All intruders use the same connection, because they cannot make the box see several.
        let id = arrive(.intruder(intruder, phone: owner), owner.flatMap { phones[$0].device }, over: "intruders")
        for segment in intruder.takeSegments() { links[id]?.toBox.append(segment) }
        let sent = links[id]?.toBox ?? []
        links[id]?.recorded = sent
    }

    /// - Parameter device: The device whose key the intruder has. The phone may have a newer key by now.
    private mutating func say(_ intruder: Intruder, _ phone: Int, as device: DeviceID?) {
        intruder.say(intruder.lastRequest == 0 && chance(95) ? hello : request(intruder, phone, as: device), elapsed)
    }

    private var hello: PhoneRequest {
        .hello(
            versions: [MessageLimits.protocolVersion],
            capabilities: [.presence, .logoutWarnings, .elevation, .sessionEnds])
    }

    private mutating func request(_ intruder: Intruder, _ phone: Int, as owner: DeviceID?) -> PhoneRequest {
        let half = phones[phone].vault.row?.deviceSecret ?? [UInt8](repeating: 0, count: 32)
        let device = HeldSecret(SecretBytes(copying: half))
        let pin = chance(10) ? phones[phone].pin : "0000"
        switch Int.random(in: 0..<20, using: &random) {
        case 0...3: return .login(password(of: phone, as: owner))
        case 4...8: return .loginWithPIN(pin: secret(pin), deviceSecret: device)
        case 9:
            let stored = password(of: phone, as: owner, isStored: true)
            return .storeCredential(pin: secret(phones[phone].pin), deviceSecret: device, credential: stored)
        case 10: return .changePIN(old: secret(pin), new: secret(phones[phone].pin), deviceSecret: device)
        case 11: return .cancelLogin
        case 12: return chance(70) ? .lock : .unlock
        case 13: return .logout
        case 14: return .reportSignal(dBm: Int.random(in: -95 ... -45, using: &random))
        case 15: return .ping([UInt8](repeating: 1, count: Int.random(in: 0...4_000, using: &random)))
        case 16: return .extend
        case 17: return hello
        case 18: return .setAutoLogout(seconds: UInt32.random(in: 0...2_000, using: &random))
        default:
            guard let elevation = intruder.elevation else { return .status }
            return .elevate(elevation, password(of: phone, as: owner))
        }
    }
}
