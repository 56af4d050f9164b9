import Names
import PhoneCore
import Secrets
import SecureChannel
import TestSupport
import VaultPort

/// A phone's data about the box, without disk and hashes. The seed sets the keys, so a device always has the same id.
struct ModelPhoneVault {
    /// The number of wrong PINs at which the phone reports its data as wiped.
    private static let pinLimit = 5

    struct Row {
        var box: KnownBox
        let key: [UInt8]
        let publicKey: [UInt8]
        var deviceSecret: [UInt8]?
        var history = PasswordHistory()
    }

    var row: Row?
    private var wrongPINs = 0

    /// Makes keys for a box, and a row that is confirmed or pending.
    mutating func begin(_ new: NewBox, mode: CredentialMode, confirmed: Bool, _ random: inout SeededGenerator) {
        let key = Self.bytes(32, &random)
        guard let pair = try? X25519KeyPair(privateKey: SecretBytes(copying: key)) else { return }
        row = Row(
            box: KnownBox(
                id: Self.bytes(16, &random), boxID: new.boxID, boxKey: new.boxKey, authorityKey: new.authorityKey,
                highestSerial: new.serial, user: new.user, label: new.label, mode: mode, confirmed: confirmed,
                hasCredential: mode == .phoneHeld, hasDeviceSecret: false),
            key: key, publicKey: pair.publicKey)
        wrongPINs = 0
    }

    static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// - Parameter password: Returns a password of the user's session, each time another, so its origin can be checked.
    mutating func answer(
        _ command: PhoneVaultCommand, pin: String, password: () -> HeldSecret, _ random: inout SeededGenerator
    ) -> PhoneVaultAnswer {
        if case .beginEnrolment(let new) = command {
            begin(new, mode: .phoneHeld, confirmed: false, &random)
            return .box(row?.box)
        }
        guard let row else { return .failed(.notFound(what: "box")) }
        switch command {
        case .box: return .box(row.box)
        case .deviceKey: return .secret(HeldSecret(SecretBytes(copying: row.key)))
        case .deviceSecret: return .secret(row.deviceSecret.map { HeldSecret(SecretBytes(copying: $0)) })
        case .renewDeviceSecret:
            let secret = Self.bytes(32, &random)
            self.row?.deviceSecret = secret
            return .secret(HeldSecret(SecretBytes(copying: secret)))
        case .destroyDeviceSecret:
            self.row?.deviceSecret = nil
            return .done
        case .forget:
            self.row = nil
            return .done
        case .raiseSerial(_, let serial, let boxID): return change(row.box, serial: serial, boxID: boxID)
        case .setLabel(let label, _): return change(row.box, label: label)
        case .confirmEnrolment(_, let user, let mode): return change(row.box, user: user, mode: mode)
        case .passwordHistory: return .passwordHistory(row.history)
        case .notePassword(_, let note):
            self.row?.history = row.history.after(note, at: 1)
            return .done
        case .noteAddress: return .done
        case .openCredential(_, let given): return open(given, pin, password)
        case .beginEnrolment, .unlockSite, .siteKey, .keepSite, .noteSiteBox, .keepSiteGrant, .keepSiteNews, .stopSite:
            return .failed(.notFound(what: "box"))
        }
    }

    /// Changes the row's given values. A mode also confirms the row.
    private mutating func change(
        _ box: KnownBox, serial: UInt64? = nil, boxID: [UInt8]? = nil, label: [UInt8]? = nil, user: [UInt8]? = nil,
        mode: CredentialMode? = nil
    ) -> PhoneVaultAnswer {
        let hasSecret = row?.deviceSecret != nil
        row?.box = KnownBox(
            id: box.id, boxID: boxID ?? box.boxID, boxKey: box.boxKey, authorityKey: box.authorityKey,
            highestSerial: serial ?? box.highestSerial, user: user ?? box.user, label: label ?? box.label,
            mode: mode ?? box.mode, confirmed: box.confirmed || mode != nil,
            hasCredential: (mode ?? box.mode) == .phoneHeld, hasDeviceSecret: hasSecret)
        return .box(row?.box)
    }

    private mutating func open(_ given: HeldSecret?, _ pin: String, _ password: () -> HeldSecret) -> PhoneVaultAnswer {
        guard let given else { return .credential(.pinNeeded, triesLeft: Self.pinLimit - wrongPINs) }
        guard given.text == Array(pin.utf8) else {
            wrongPINs += 1
            guard wrongPINs < Self.pinLimit else {
                wrongPINs = 0
                return .credential(.wiped, triesLeft: nil)
            }
            return .credential(
                .pinWrong(attemptsLeft: UInt8(Self.pinLimit - wrongPINs)), triesLeft: Self.pinLimit - wrongPINs)
        }
        wrongPINs = 0
        return .credential(.opened(password()), triesLeft: Self.pinLimit)
    }
}
