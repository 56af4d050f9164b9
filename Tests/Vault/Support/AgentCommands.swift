import AuditLog
import Names
import Secrets
import TestSupport
import VaultPort

@testable import Vault

extension VaultCommand {
    /// Returns a random command of an agent for one of its devices.
    static func random(_ device: DeviceID, _ random: inout SeededGenerator) -> VaultCommand {
        let pin = secret(Int.random(in: 0..<3, using: &random) > 0 ? "2468" : "0000")
        let half = secret([UInt8](repeating: 0xD5, count: 32))
        let name = Array("c\(Int.random(in: 1...3, using: &random))".utf8)
        switch Int.random(in: 0..<24, using: &random) {
        case 20...23: return site(&random)
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

    /// Returns a random command for the box's site.
    private static func site(_ random: inout SeededGenerator) -> VaultCommand {
        let entries = { (random: inout SeededGenerator) -> [[UInt8]] in
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                [UInt8](repeating: UInt8.random(in: 1...6, using: &random), count: 122)
            }
        }
        let number = UInt8.random(in: 1...9, using: &random)
        let certificate = StoredSiteCertificate(
            bytes: [UInt8](repeating: number, count: 141), issuerKey: [UInt8](repeating: number, count: 32))
        let clock = StoredBootClock(boot: [UInt8](repeating: number, count: 16), seconds: Int64(number))
        switch Int.random(in: 0..<16, using: &random) {
        case 8...15: return sitePhone(&random)
        case 0: return .forgetSite()
        case 1, 2:
            return .joinSite(
                StoredSite(
                    document: [UInt8](repeating: number, count: 326), certificate: certificate,
                    servers: [Array("192.0.2.1:4711".utf8), Array("[::1]:1".utf8)], entries: entries(&random)))
        case 3: return .readSite
        default:
            var change = SiteChange()
            if Bool.random(using: &random) { change.document = [UInt8](repeating: number, count: 367) }
            change.beginsGeneration = Int.random(in: 0..<4, using: &random) == 0
            if Bool.random(using: &random) { change.certificate = certificate }
            if Bool.random(using: &random) { change.servers = [Array("192.0.2.\(number):4711".utf8)] }
            (change.added, change.dropped) = (entries(&random), entries(&random))
            if Bool.random(using: &random) { change.head = [UInt8](repeating: number, count: 137) }
            if Bool.random(using: &random) { change.time = StoredSiteTime(seconds: Int64(number) * 9, clock: clock) }
            if Bool.random(using: &random) { change.hours = StoredSiteHours(spent: Int64(number), until: clock) }
            return .changeSite(change)
        }
    }

    /// Returns a random command for phones of the site.
    private static func sitePhone(_ random: inout SeededGenerator) -> VaultCommand {
        let number = UInt8.random(in: 101...103, using: &random)
        let device = DeviceID(known: [UInt8](repeating: number, count: 16))
        let owning = Bool.random(using: &random) ? [device] : []
        switch Int.random(in: 0..<12, using: &random) {
        case 0...4:
            return .admitSitePhone(
                StoredSitePhone(
                    device: device, publicKey: [UInt8](repeating: number, count: 32), user: Array("ada".utf8),
                    kept: [UInt8](repeating: UInt8.random(in: 1...3, using: &random), count: 200)),
                sparing: owning)
        case 5, 6: return .dropSitePhones([device], owning: owning)
        case 7: return Int.random(in: 0..<4, using: &random) == 0 ? .revoke([device], by: .agent) : .readDevice(device)
        case 8:
            return .keepSession(
                StoredSession(
                    logindID: [number], device: device, user: Array("ada".utf8), terminal: nil, openedMicroseconds: 5,
                    openedAt: .seconds(7)))
        case 9: return .forgetSession([number])
        case 10: return Int.random(in: 0..<3, using: &random) == 0 ? .forgetSite(owning: owning) : .readSitePhones
        default: return .readSitePhones
        }
    }

    var name: String { "\(self)".prefix { $0 != "(" }.description }
}

extension VaultAnswer {
    /// A text for comparison. Errors appear by kind.
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
        case .site(let site?):
            """
            site \(site.document.first ?? 0) of \(site.document.count), \(site.certificate.bytes.first ?? 0), \
            \(site.certificate.issuerKey.first ?? 0), \(site.servers.map { String(decoding: $0, as: UTF8.self) }), \
            head \(site.head?.first ?? 0), time \(site.time.words), hours \(site.hours.words), \
            entries \(site.entries.map { $0.first ?? 0 })
            """
        case .site(nil): "no site"
        case .sitePhones(let phones, let barred):
            "phones \(phones.map { "\($0.device) \($0.kept.first ?? 0)" }), barred \(barred.map { $0.first ?? 0 })"
        case .admitted(let sheet, let gone):
            "admitted \(sheet.record.id) \(sheet.record.state) \(sheet.record.isOfSite), gone \(gone)"
        case .failed(let error): "failed \("\(error)".prefix(12))"
        }
    }
}

extension CredentialState? {
    var words: String { map { "\($0.attemptsLeft) left\($0.stale ? ", stale" : "")" } ?? "none" }
}

extension StoredSiteTime? {
    var words: String { map { "\($0.seconds) \($0.clock.boot.first ?? 0) \($0.clock.seconds)" } ?? "none" }
}

extension StoredSiteHours? {
    var words: String { map { "\($0.spent) \($0.until.boot.first ?? 0) \($0.until.seconds)" } ?? "none" }
}

extension StoredSession {
    var words: String { "\(String(decoding: logindID, as: UTF8.self)) \(device) \(extensions)" }
}
