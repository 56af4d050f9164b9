import PhoneMessages
import Secrets
import VaultPort

extension PhoneVaultCommand {
    /// What the host's store has to do. Keys and device secrets are made here, where random bytes and guarded memory are: the
    /// store keeps them, durably, before it answers.
    func write(_ number: UInt64, _ writer: inout HostWriter) {
        func begin(_ word: String, _ fields: Int, _ id: [UInt8], _ writer: inout HostWriter) {
            writer.array(4 + fields)
            writer.text("vault")
            writer.number(number)
            writer.text(word)
            writer.bytes(id)
        }
        switch self {
        case .box(let id): begin("box", 0, id, &writer)
        case .deviceKey(let id): begin("deviceKey", 0, id, &writer)
        case .deviceSecret(let id): begin("deviceSecret", 0, id, &writer)
        case .renewDeviceSecret(let id):
            begin("setDeviceSecret", 1, id, &writer)
            writer.secret(Self.newDeviceSecret())
        case .destroyDeviceSecret(let id): begin("destroyDeviceSecret", 0, id, &writer)
        case .forget(let id): begin("forget", 0, id, &writer)
        case .raiseSerial(let id, let serial, let boxID):
            begin("raiseSerial", 2, id, &writer)
            writer.number(serial)
            writer.bytes(boxID)
        case .beginEnrolment(let box):
            begin("add", 8, randomBytes(count: 16), &writer)
            writer.bytes(box.boxID)
            writer.bytes(box.boxKey)
            writer.bytes(box.authorityKey)
            writer.number(box.serial)
            writer.bytes(box.user)
            writer.bytes(box.label)
            writer.secret(HeldSecret(SecretBytes(randomCount: X25519KeyPair.keyBytes)))
            writer.secret(Self.newDeviceSecret())
        case .setLabel(let label, let id):
            begin("setLabel", 1, id, &writer)
            writer.bytes(label)
        case .confirmEnrolment(let id, let user, let mode):
            begin("confirm", 2, id, &writer)
            writer.bytes(user)
            writer.text(mode.word)
        case .openCredential(let id, let pin):
            begin("openCredential", 1, id, &writer)
            if let pin { writer.secret(pin) } else { writer.null() }
        // Nobody asks for these where there are no sites.
        case .unlockSite, .noteSiteBox, .keepSiteGrant, .keepSiteNews, .stopSite: break
        }
    }

    private static func newDeviceSecret() -> HeldSecret {
        HeldSecret(SecretBytes(randomCount: MessageLimits.deviceSecretBytes))
    }
}
