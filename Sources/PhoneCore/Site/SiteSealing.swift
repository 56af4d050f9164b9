import Secrets
import SecureChannel
import SiteTrust
import VaultPort

/// Requests about site-held credentials. A host that passes none to its `SiteDesk` does not link this code.
public struct SiteCredentials: Sendable {
    /// Returns the vault command for a question about the credential, or nil if the site's key is unknown.
    let unlocking: @Sendable (KnownSite, BoxQuestion) -> PhoneVaultCommand?
    /// Seals that question for the site, the box with this key and the channel with this hash.
    let seal: @Sendable (KnownSite, BoxQuestion, SiteUnlocking, _ boxKey: [UInt8], _ channel: [UInt8]) -> [UInt8]?

    public init() {
        unlocking = SiteSealing.unlocking
        seal = SiteSealing.seal
    }
}

/// Seals requests about the site-held credential, so that no box can read them (docs/reference/site-protocol.md, 19).
enum SiteSealing {
    static func unlocking(_ known: KnownSite, _ question: BoxQuestion) -> PhoneVaultCommand? {
        guard let access = try? SiteAccess(known), access.siteKey != nil else { return nil }
        let salt = HeldPINKey.salt(site: access.site.pin.site, phoneKey: known.phoneKey)
        let (pin, newPIN) = pins(question)
        return .unlockSite(known.id, salt: salt, pin: pin, newPIN: newPIN)
    }

    private static func pins(_ question: BoxQuestion) -> (HeldSecret?, HeldSecret?) {
        switch question {
        case .loginWithPIN(let pin), .storeCredential(_, let pin): (pin, nil)
        case .changePIN(let old, let new): (old, new)
        default: (nil, nil)
        }
    }

    static func seal(
        _ known: KnownSite, _ question: BoxQuestion, _ unlocking: SiteUnlocking, _ boxKey: [UInt8], _ channel: [UInt8]
    ) -> [UInt8]? {
        guard let access = try? SiteAccess(known), let siteKey = access.siteKey,
            let action = action(question, unlocking),
            let content = HeldRequest(counter: unlocking.counter, action: action).encoded(),
            let sender = try? X25519KeyPair(privateKey: unlocking.phoneKey.bytes.copy())
        else { return nil }
        let prologue = HeldRequest.prologue(site: access.site.pin.site, boxKey: boxKey, channel: channel)
        return try? OneWayMessage<XChaChaPoly>.seal(content, prologue: prologue, from: sender, to: siteKey.key)
    }

    private static func action(_ question: BoxQuestion, _ unlocking: SiteUnlocking) -> HeldRequest.Action? {
        let pinKey = key(unlocking.pinHash, unlocking)
        switch question {
        case .tries: return .tries
        case .loginWithPIN: return pinKey.map { .open(pinKey: $0) }
        case .storeCredential(let credential, _): return pinKey.map { .store(pinKey: $0, credential: credential) }
        case .changePIN:
            guard let pinKey, let new = key(unlocking.newPINHash, unlocking) else { return nil }
            return .changePIN(old: pinKey, new: new)
        default: return nil
        }
    }

    private static func key(_ hash: HeldSecret?, _ unlocking: SiteUnlocking) -> HeldSecret? {
        guard let hash,
            let key = try? HeldPINKey.derive(pinHash: hash.bytes, deviceSecret: unlocking.deviceSecret.bytes)
        else { return nil }
        return HeldSecret(key)
    }
}
