import ControlProtocol

/// What is asked of bulk codes, and of boxes that came with one.
public struct BulkWish: Equatable, Sendable {
    public enum Action: String, FieldWord, Sendable, CaseIterable {
        /// A new code.
        case add
        case codes
        /// Takes a code back, with the boxes that wait.
        case revoke
        /// Boxes that wait.
        case waiting
        case approve
        case reject
    }

    /// 16 bytes for each. So many fit a message.
    public static let fingerprintLimit = 400
    public static let fingerprintBytes = 16

    public var action: Action
    /// Of a new code: what its boxes' names begin with, how many, their groups, and the first second in which it is no good any more.
    public var name: String?
    public var places: UInt64?
    public var groups: [UInt16] = []
    public var until: UInt64?
    /// Those that are listed, approved or rejected.
    public var fingerprints: [[UInt8]] = []
    /// The id of a code that is taken back, 8 bytes.
    public var code: [UInt8]?

    public init(_ action: Action) {
        self.action = action
    }

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var bytes = GroupField.bytes(groups)
        var prints: [UInt8] = fingerprints.flatMap(\.self)
        try coder.word("action", &action)
        try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
        try coder.number("places", &places, limit: 1_000)
        try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
        try coder.number("until", &until)
        try coder.bytes("fingerprints", &prints, limit: Self.fingerprintLimit * Self.fingerprintBytes)
        try coder.bytes("code", &code, limit: SiteControlLimits.codeIDBytes)
        groups = try GroupField.numbers(bytes)
        guard prints.count.isMultiple(of: Self.fingerprintBytes) else {
            throw .invalid(field: "fingerprints", .tooLarge)
        }
        fingerprints = stride(from: 0, to: prints.count, by: Self.fingerprintBytes).map {
            [UInt8](prints[$0..<$0 + Self.fingerprintBytes])
        }
    }
}

/// A box that waits for an administrator.
public struct WaitingListing: Equatable, Sendable {
    public var fingerprint = ""
    /// What its name will begin with.
    public var name = ""
    public var groups: [UInt16] = []
    /// When it came, in seconds since 1970.
    public var came: UInt64 = 0

    public init() {}

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var bytes = GroupField.bytes(groups)
        try coder.text("fingerprint", &fingerprint, limit: ControlLimits.labelBytes)
        try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
        try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
        try coder.number("came", &came)
        groups = try GroupField.numbers(bytes)
    }
}

/// A code with which many boxes join; its secret is not shown again.
public struct BulkCodeListing: Equatable, Sendable {
    /// 16 hexadecimal digits.
    public var id = ""
    public var name = ""
    public var groups: [UInt16] = []
    public var places: UInt64 = 0
    /// Keys that have come with it.
    public var taken: UInt64 = 0
    /// The first second, since 1970, in which it is no good any more.
    public var until: UInt64 = 0
    public var isRevoked = false

    public init() {}

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var bytes = GroupField.bytes(groups)
        try coder.text("id", &id, limit: ControlLimits.labelBytes)
        try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
        try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
        try coder.number("places", &places)
        try coder.number("taken", &taken)
        try coder.number("until", &until)
        try coder.flag("revoked", &isRevoked)
        groups = try GroupField.numbers(bytes)
    }
}
