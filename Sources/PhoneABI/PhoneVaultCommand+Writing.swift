import PhoneMessages
import Secrets
import VaultPort

extension PhoneVaultCommand {
    /// Writes a command for the host's store. New keys and device secrets are made here, because the core has random
    /// bytes and guarded memory. The store must write each command's data durably before it answers.
    func write(_ number: UInt64, _ writer: inout HostWriter) {
        switch self {
        case .box(let id): Self.begin(number, "box", 0, id, &writer)
        case .deviceKey(let id): Self.begin(number, "deviceKey", 0, id, &writer)
        case .deviceSecret(let id): Self.begin(number, "deviceSecret", 0, id, &writer)
        case .renewDeviceSecret(let id):
            Self.begin(number, "setDeviceSecret", 1, id, &writer)
            writer.secret(Self.newDeviceSecret())
        case .destroyDeviceSecret(let id): Self.begin(number, "destroyDeviceSecret", 0, id, &writer)
        case .forget(let id): Self.begin(number, "forget", 0, id, &writer)
        case .raiseSerial(let id, let serial, let boxID):
            Self.begin(number, "raiseSerial", 2, id, &writer)
            writer.number(serial)
            writer.bytes(boxID)
        case .beginEnrolment(let box):
            Self.begin(number, "add", 8, randomBytes(count: 16), &writer)
            writer.bytes(box.boxID)
            writer.bytes(box.boxKey)
            writer.bytes(box.authorityKey)
            writer.number(box.serial)
            writer.bytes(box.user)
            writer.bytes(box.label)
            writer.secret(HeldSecret(SecretBytes(randomCount: X25519KeyPair.keyBytes)))
            writer.secret(Self.newDeviceSecret())
        case .setLabel(let label, let id):
            Self.begin(number, "setLabel", 1, id, &writer)
            writer.bytes(label)
        case .confirmEnrolment(let id, let user, let mode):
            Self.begin(number, "confirm", 2, id, &writer)
            writer.bytes(user)
            writer.text(mode.word)
        case .openCredential(let id, let pin):
            Self.begin(number, "openCredential", 1, id, &writer)
            if let pin { writer.secret(pin) } else { writer.null() }
        case .passwordHistory(let id): Self.begin(number, "passwordHistory", 0, id, &writer)
        case .notePassword(let id, let note):
            Self.begin(number, "notePassword", 1, id, &writer)
            writer.number(Int(note.rawValue))
        case .siteKey, .keepSite, .noteSiteBox, .keepSiteGrant, .keepSiteNews, .stopSite:
            writeOfSite(number, &writer)
        // A host cannot have site-held credentials through this interface, and chooses the box itself.
        case .unlockSite, .noteAddress: break
        }
    }

    private func writeOfSite(_ number: UInt64, _ writer: inout HostWriter) {
        switch self {
        case .siteKey:
            Self.begin(number, "siteKey", 1, randomBytes(count: 16), &writer)
            writer.secret(HeldSecret(SecretBytes(randomCount: X25519KeyPair.keyBytes)))
        case .keepSite(let site, let id):
            Self.begin(number, "keepSite", 4, id, &writer)
            writer.bytes(site.site)
            writer.bytes(site.document)
            writer.bytes(site.grant)
            writer.optional(site.entry)
        case .noteSiteBox(let key, let id, let hasGrant):
            Self.begin(number, "noteSiteBox", 2, id, &writer)
            writer.bytes(key)
            writer.flag(hasGrant)
        case .keepSiteGrant(let grant, let id, let old):
            Self.begin(number, "siteGrant", 2, id, &writer)
            writer.bytes(grant)
            writer.bytes(old)
        case .keepSiteNews(let news):
            Self.begin(number, "siteNews", 4, news.id, &writer)
            writer.bytes(news.inPlaceOf)
            writer.bytes(news.document)
            writer.optional(news.head)
            writer.array(news.entries.count)
            for entry in news.entries { writer.bytes(entry) }
        case .stopSite(let id, let entry):
            Self.begin(number, "stopSite", 1, id, &writer)
            writer.bytes(entry)
        default: break
        }
    }

    private static func begin(
        _ number: UInt64, _ word: String, _ fields: Int, _ id: [UInt8], _ writer: inout HostWriter
    ) {
        writer.array(4 + fields)
        writer.text("vault")
        writer.number(number)
        writer.text(word)
        writer.bytes(id)
    }

    private static func newDeviceSecret() -> HeldSecret {
        HeldSecret(SecretBytes(randomCount: MessageLimits.deviceSecretBytes))
    }
}
