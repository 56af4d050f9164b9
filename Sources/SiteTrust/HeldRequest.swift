import Secrets

/// A phone's request to its site about its site-held credential. The phone seals the request to the site's key. The
/// carrying box can neither read nor change the request (docs/reference/site-protocol.md, 19).
public struct HeldRequest: Sendable {
    public enum Action: Sendable {
        /// Asks how many tries are left. Costs no try.
        case tries
        /// Opens the credential with a PIN key (32 bytes), for the carrying box. Costs a try.
        case open(pinKey: HeldSecret)
        /// Stores or replaces a credential of 1 to 511 bytes, and restores all tries.
        case store(pinKey: HeldSecret, credential: HeldSecret)
        /// Changes the PIN. Costs a try.
        case changePIN(old: HeldSecret, new: HeldSecret)
    }

    /// Rises with each request of a phone, below 2^62. The site ignores a counter that is not above the last one.
    public let counter: UInt64
    public let action: Action

    public init(counter: UInt64, action: Action) {
        self.counter = counter
        self.action = action
    }

    private enum Kind: UInt8, CaseIterable { case tries = 1, open, store, changePIN }

    private static let version: UInt8 = 1
    /// Version (1) ‖ kind (1) ‖ counter (8).
    private static let headBytes = 10
    public static let keyBytes = 32
    /// The first number that is not a valid counter.
    public static let counterEnd: UInt64 = 1 << 62

    private static func byteCount(_ kind: Kind) -> Int {
        switch kind {
        case .tries: headBytes
        case .open: headBytes + keyBytes
        case .store: headBytes + keyBytes + HeldPadding.byteCount
        case .changePIN: headBytes + 2 * keyBytes
        }
    }

    /// Returns whether a request sealed with `overhead` additional bytes can have `count` bytes.
    public static func isLength(_ count: Int, sealedBy overhead: Int) -> Bool {
        Kind.allCases.contains { byteCount($0) + overhead == count }
    }

    private var kind: Kind {
        switch action {
        case .tries: .tries
        case .open: .open
        case .store: .store
        case .changePIN: .changePIN
        }
    }

    /// Returns the bytes to seal, or nil if the counter or the length of a key or credential is out of bounds.
    public func encoded() -> SecretBytes? {
        guard counter < Self.counterEnd else { return nil }
        var secrets: [HeldSecret]
        switch action {
        case .tries: secrets = []
        case .open(let pinKey): secrets = [pinKey]
        case .store(let pinKey, let credential):
            guard let padded = HeldPadding.pad(credential.bytes) else { return nil }
            secrets = [pinKey, HeldSecret(padded)]
        case .changePIN(let old, let new): secrets = [old, new]
        }
        var head = [Self.version, kind.rawValue]
        head.append(bigEndian: counter)
        let count = secrets.reduce(head.count) { $0 + $1.count }
        guard count == Self.byteCount(kind) else { return nil }
        var content = SecretBytes(count: count)
        content.withMutableBytes { target in
            target.store(head)
            var at = head.count
            for secret in secrets {
                secret.bytes.withBytes { target.store($0, at: at) }
                at += secret.count
            }
        }
        return content
    }

    /// Reads an unsealed request. Throws `wrongLength`, `unknownVersion` or `invalidField`.
    public init(parsing content: borrowing SecretBytes) throws(SiteError) {
        guard content.count >= Self.headBytes else { throw .wrongLength }
        guard content.byte(at: 0) == Self.version else { throw .unknownVersion }
        guard let kind = Kind(rawValue: content.byte(at: 1)) else { throw .invalidField }
        guard content.count == Self.byteCount(kind) else { throw .wrongLength }
        counter = UInt64(bigEndian: (2..<Self.headBytes).map { content.byte(at: $0) })
        guard counter < Self.counterEnd else { throw .invalidField }
        let firstEnd = Self.headBytes + Self.keyBytes
        switch kind {
        case .tries: action = .tries
        case .open: action = .open(pinKey: HeldSecret(content.slice(Self.headBytes..<firstEnd)))
        case .store:
            guard let credential = HeldPadding.unpad(content, from: firstEnd) else { throw .invalidField }
            action = .store(
                pinKey: HeldSecret(content.slice(Self.headBytes..<firstEnd)), credential: HeldSecret(credential))
        case .changePIN:
            action = .changePIN(
                old: HeldSecret(content.slice(Self.headBytes..<firstEnd)),
                new: HeldSecret(content.slice(firstEnd..<content.count)))
        }
    }

    /// Binds the seal to the site, the carrying box, and the box's channel with the phone. The request cannot be opened
    /// for another site, box or channel.
    ///
    /// - Parameters:
    ///   - boxKey: The box's X25519 key, 32 bytes.
    ///   - channel: The handshake hash of the channel between phone and box, 32 bytes.
    public static func prologue(site: SiteID, boxKey: [UInt8], channel: [UInt8]) -> [UInt8] {
        label + site.bytes + boxKey + channel
    }

    private static let label = [UInt8]("boxlink-site-held/1".utf8)
}
