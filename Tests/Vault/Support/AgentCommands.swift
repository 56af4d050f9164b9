import AuditLog
import Names
import Secrets
import TestSupport
import VaultPort

@testable import Vault

extension VaultCommand {
    /// What an agent may tell a vault of one of its devices.
    static func random(_ device: DeviceID, _ random: inout SeededGenerator) -> VaultCommand {
        let pin = secret(Int.random(in: 0..<3, using: &random) > 0 ? "2468" : "0000")
        let half = secret([UInt8](repeating: 0xD5, count: 32))
        let name = Array("c\(Int.random(in: 1...3, using: &random))".utf8)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...4: return .openCredential(device, pin: pin, deviceSecret: half)
        case 5, 6:
            return .storeCredential(
                device, pin: secret("2468"), deviceSecret: half, credential: secret("correct horse"))
        case 7:
            let new = secret(Bool.random(using: &random) ? "2468" : "1357")
            return .changePIN(device, old: pin, new: new, deviceSecret: half)
        case 8: return .wipe([device], by: .agent, everything: false)
        case 9: return .markStale(user: Array("ada".utf8))
        case 10:
            return Int.random(in: 0..<12, using: &random) == 0 ? .revoke([device], by: .agent) : .readDevice(device)
        case 11: return .setAutoLogout(device, seconds: UInt32.random(in: 60...900, using: &random))
        case 12:
            return .setThresholds(
                device, Bool.random(using: &random) ? nil : StoredThresholds(nearDBm: -50, farDBm: -75))
        case 13: return .setWatched(device, Bool.random(using: &random))
        case 14: return .forgetWatchedWithoutSessions
        case 15:
            return .setDeadline(
                device, Bool.random(using: &random) ? nil : .seconds(Int64.random(in: 1...900, using: &random)))
        case 16:
            return .keepSession(
                StoredSession(
                    logindID: name, device: device, user: Array("ada".utf8), terminal: nil, openedMicroseconds: 5,
                    openedAt: .seconds(7)))
        case 17: return .forgetSession(name)
        case 18: return .setExtensions(name, Int64.random(in: 0...3, using: &random))
        default: return Bool.random(using: &random) ? .readSessions : .readDeadlines
        }
    }

    var name: String { "\(self)".prefix { $0 != "(" }.description }
}

extension VaultAnswer {
    /// To compare it; errors by what they are.
    var words: String {
        switch self {
        case .done: "done"
        case .device(let record): "device \(record.id)"
        case .revoked: "revoked"
        case .opened(let outcome, let state): "\(outcome.words), \(state.words)"
        case .stored(let state): "stored, \(state.words)"
        case .wiped(let devices, _): "wiped \(devices)"
        case .stale(let devices): "stale \(devices.map(\.description).sorted())"
        case .deadlines(let found): "deadlines \(found.map { "\($0.device) \($0.at)" }.sorted())"
        case .sessions(let earlier, let this):
            "earlier \(earlier.map(\.words).sorted()), this boot \(this.map(\.words).sorted())"
        case .sheet(let sheet?):
            """
            sheet \(sheet.record.state), \(sheet.autoLogout ?? 0), \(sheet.thresholds?.nearDBm ?? 0), \(sheet.isWatched), \
            \(sheet.credential.words)
            """
        case .sheet(nil): "no such device"
        case .failed(let error): "failed \("\(error)".prefix(12))"
        }
    }
}

extension CredentialState? {
    var words: String { map { "\($0.attemptsLeft) left\($0.stale ? ", stale" : "")" } ?? "none" }
}

extension StoredSession {
    var words: String { "\(String(decoding: logindID, as: UTF8.self)) \(device) \(extensions)" }
}
