import ControlProtocol

/// A request that the site page makes for itself: who signs in there, and by which passkey. No other program may send
/// it (docs/decisions/045-administrators.md). Requests for administrators come in a `SiteEnvelope`.
public enum PageRequest: Equatable, Sendable {
    /// Asks for which administrator this one-time code makes a passkey.
    case passkeyOwner(code: String)
    /// Adds a passkey, and uses up that code. The passkey has an ID, a key (65 bytes) and a counter of signatures.
    case addPasskey(code: String, credential: [UInt8], key: [UInt8], counter: UInt32)
    /// Asks for the passkey with that ID, if its administrator is active.
    case passkey(credential: [UInt8])
    /// Records a use of a passkey. `counter` must be higher than the last one, unless both are 0.
    case usePasskey(credential: [UInt8], counter: UInt32)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> PageRequest { try read(input) }

    public func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        try write(secret: RawSpan(), to: &output)
    }
}

/// Bounds for passkeys, in bytes.
public enum PasskeyLimits {
    /// WebAuthn Level 2 section 4.
    public static let credentialBytes = 1_023
    /// A point on P-256, uncompressed (SEC 1 section 2.3.3).
    public static let keyBytes = 65
    /// 20 random bytes in base 32.
    public static let codeBytes = 32
    /// The page's origin, followed by the code.
    static let linkBytes = 512
    /// The most passkeys of one administrator.
    public static let perAdministrator = 16
}

extension PageRequest: ControlMessage {
    package enum Kind: String, FieldWord, CaseIterable {
        case passkeyOwner = "passkey-owner"
        case addPasskey = "add-passkey"
        case passkey
        case usePasskey = "use-passkey"
    }

    package var kind: Kind {
        switch self {
        case .passkeyOwner: .passkeyOwner
        case .addPasskey: .addPasskey
        case .passkey: .passkey
        case .usePasskey: .usePasskey
        }
    }

    package init(blank kind: Kind) {
        self =
            switch kind {
            case .passkeyOwner: .passkeyOwner(code: "")
            case .addPasskey: .addPasskey(code: "", credential: [], key: [], counter: 0)
            case .passkey: .passkey(credential: [])
            case .usePasskey: .usePasskey(credential: [], counter: 0)
            }
    }

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .passkeyOwner(var code):
            try coder.text("code", &code, limit: PasskeyLimits.codeBytes)
            self = .passkeyOwner(code: code)
        case .addPasskey(var code, var credential, var key, let counter):
            var number = UInt64(counter)
            try coder.text("code", &code, limit: PasskeyLimits.codeBytes)
            try coder.bytes("credential", &credential, limit: PasskeyLimits.credentialBytes)
            try coder.bytes("key", &key, limit: PasskeyLimits.keyBytes)
            try coder.number("counter", &number, limit: UInt64(UInt32.max))
            self = .addPasskey(code: code, credential: credential, key: key, counter: UInt32(clamping: number))
        case .passkey(var credential):
            try coder.bytes("credential", &credential, limit: PasskeyLimits.credentialBytes)
            self = .passkey(credential: credential)
        case .usePasskey(var credential, let counter):
            var number = UInt64(counter)
            try coder.bytes("credential", &credential, limit: PasskeyLimits.credentialBytes)
            try coder.number("counter", &number, limit: UInt64(UInt32.max))
            self = .usePasskey(credential: credential, counter: UInt32(clamping: number))
        }
    }
}

/// A passkey as stored by the site. It contains nothing secret.
public struct PasskeyListing: Equatable, Sendable {
    public var administrator = ""
    public var credential: [UInt8] = []
    /// 65 bytes.
    public var key: [UInt8] = []
    public var counter: UInt32 = 0
    /// Seconds since 1970.
    public var added: UInt64 = 0
    /// When the passkey was last used to sign in, or nil if never.
    public var used: UInt64?

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var number = UInt64(counter)
        try coder.text("administrator", &administrator, limit: SiteControlLimits.nameBytes)
        try coder.bytes("credential", &credential, limit: PasskeyLimits.credentialBytes)
        try coder.bytes("key", &key, limit: PasskeyLimits.keyBytes)
        try coder.number("counter", &number, limit: UInt64(UInt32.max))
        try coder.number("added", &added)
        try coder.number("used", &used)
        counter = UInt32(clamping: number)
    }
}
