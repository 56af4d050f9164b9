import Secrets

/// What a phone asks of its site about the credential that the site holds for it. The phone seals it to the site's key; a box carries
/// it, and can neither read nor change it (docs/reference/site-protocol.md, 19).
public struct HeldRequest: Sendable {
    public enum Action: Sendable {
        /// How many tries are left. It costs none.
        case tries
        /// Opens the credential with a PIN key (32 bytes) for the box that carries this: a try.
        case open(pinKey: HeldSecret)
        /// Has the site hold a credential of 1 to 511 bytes, in place of what it may hold, with all of its tries.
        case store(pinKey: HeldSecret, credential: HeldSecret)
        /// Another PIN for what the site holds. A try.
        case changePIN(old: HeldSecret, new: HeldSecret)
    }

    /// Rises with each request of a phone, below 2^62: what is not above the last one counts for nothing.
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
    /// The first counter that there is not.
    public static let counterEnd: UInt64 = 1 << 62

    private static func byteCount(_ kind: Kind) -> Int {
        switch kind {
        case .tries: headBytes
        case .open: headBytes + keyBytes
        case .store: headBytes + keyBytes + HeldPadding.byteCount
        case .changePIN: headBytes + 2 * keyBytes
        }
    }

    /// Whether a message of so many bytes, of which `overhead` are the seal's, may be one.
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

    /// What is sealed; nil where a key or a credential has another length than it may have, or the counter is none.
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

    /// Reads what a phone has sealed. Throws `wrongLength`, `unknownVersion` or `invalidField`.
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

    /// What the seal covers besides: the site, the box that carries it, and that box's channel with the phone. Whoever carries it
    /// elsewhere has something that opens nowhere.
    ///
    /// - Parameters:
    ///   - boxKey: The box's X25519 key, 32 bytes.
    ///   - channel: The handshake hash of the channel between phone and box, 32 bytes.
    public static func prologue(site: SiteID, boxKey: [UInt8], channel: [UInt8]) -> [UInt8] {
        label + site.bytes + boxKey + channel
    }

    private static let label = [UInt8]("boxlink-site-held/1".utf8)
}
