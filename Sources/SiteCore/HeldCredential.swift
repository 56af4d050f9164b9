import Secrets
import SiteLink
import SiteTrust

/// A credential that the site holds. A random key seals it. That key is wrapped under the site's secret, the phone's
/// device secret and the PIN. After a wipe of the wrapped key, the rest opens nothing.
public struct HeldCredential: Sendable, Equatable {
    public static let saltBytes = 16
    public static let wrappedKeyBytes = keyBytes + XChaChaPoly.sealedOverheadBytes
    public static let contentBytes = HeldPadding.byteCount + XChaChaPoly.sealedOverheadBytes
    private static let keyBytes = 32
    private static let wrapContext = [UInt8]("boxlink-site-wrap-1".utf8)
    private static let contentContext = [UInt8]("boxlink-site-content-1".utf8)

    /// Random, and new at each store and each change of the PIN. It identifies the stored version.
    public let salt: [UInt8]
    public let wrappedKey: [UInt8]
    public let content: [UInt8]

    /// Returns nil if a length is wrong.
    public init?(salt: [UInt8], wrappedKey: [UInt8], content: [UInt8]) {
        guard salt.count == Self.saltBytes, wrappedKey.count == Self.wrappedKeyBytes,
            content.count == Self.contentBytes
        else { return nil }
        self.salt = salt
        self.wrappedKey = wrappedKey
        self.content = content
    }

    /// Seals a credential of 1 to 511 bytes for the phone with that key (32 bytes).
    public init?(
        _ credential: borrowing SecretBytes, pinKey: borrowing SecretBytes, phoneKey: [UInt8], _ keys: SiteServerKeys
    ) {
        guard let padded = HeldPadding.pad(credential) else { return nil }
        let own = SecretBytes(randomCount: Self.keyBytes)
        guard
            let content = try? XChaChaPoly.seal(
                padded, key: own, associatedData: Self.contentContext + phoneKey)
        else { return nil }
        self.init(content: content, own: own, pinKey: pinKey, phoneKey, keys)
    }

    private init?(
        content: [UInt8], own: borrowing SecretBytes, pinKey: borrowing SecretBytes, _ phoneKey: [UInt8],
        _ keys: SiteServerKeys
    ) {
        let salt = randomBytes(count: Self.saltBytes)
        do throws(SecretsError) {
            let wrapping = try keys.wrappingKey(salt: salt, phoneKey: phoneKey, pinKey: pinKey)
            let wrapped = try XChaChaPoly.seal(own, key: wrapping, associatedData: Self.wrapContext + phoneKey)
            self.init(salt: salt, wrappedKey: wrapped, content: content)
        } catch {
            return nil
        }
    }

    /// Returns the credential, or nil if the PIN key is wrong. The tag is compared in constant time.
    public func open(pinKey: borrowing SecretBytes, phoneKey: [UInt8], _ keys: SiteServerKeys) -> HeldSecret? {
        guard let own = ownKey(pinKey, phoneKey, keys),
            let padded = try? XChaChaPoly.open(
                content, key: own.bytes, associatedData: Self.contentContext + phoneKey),
            let credential = HeldPadding.unpad(padded)
        else { return nil }
        return HeldSecret(credential)
    }

    /// Returns the same credential under another PIN, or nil if the old PIN key is wrong.
    public func changed(
        from old: borrowing SecretBytes, to new: borrowing SecretBytes, phoneKey: [UInt8], _ keys: SiteServerKeys
    ) -> HeldCredential? {
        guard let own = ownKey(old, phoneKey, keys) else { return nil }
        return HeldCredential(content: content, own: own.bytes, pinKey: new, phoneKey, keys)
    }

    private func ownKey(
        _ pinKey: borrowing SecretBytes, _ phoneKey: [UInt8], _ keys: SiteServerKeys
    ) -> HeldSecret? {
        do throws(SecretsError) {
            let wrapping = try keys.wrappingKey(salt: salt, phoneKey: phoneKey, pinKey: pinKey)
            return HeldSecret(
                try XChaChaPoly.open(wrappedKey, key: wrapping, associatedData: Self.wrapContext + phoneKey))
        } catch {
            return nil
        }
    }
}
