import ControlProtocol

/// A request about bulk codes, or about boxes that came with one.
public struct BulkWish: Equatable, Sendable {
    public enum Action: String, FieldWord, Sendable, CaseIterable {
        /// Adds a code.
        case add
        case codes
        /// Revokes a code, and rejects its waiting boxes.
        case revoke
        /// Lists waiting boxes.
        case waiting
        case approve
        case reject
    }

    /// The most fingerprints that fit a message.
    public static let fingerprintLimit = 400
    public static let fingerprintBytes = 16

    public var action: Action
    /// For a new code: the prefix of its boxes' names, how many boxes may join, their groups, and the first second in
    /// which the code is no longer valid.
    public var name: String?
    public var places: UInt64?
    public var groups: [UInt16] = []
    public var until: UInt64?
    /// Fingerprints to list, approve or reject.
    public var fingerprints: [[UInt8]] = []
    /// The ID of the code to revoke, 8 bytes.
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
    /// The prefix of the name that the box will have.
    public var name = ""
    public var groups: [UInt16] = []
    /// When the box came, in seconds since 1970.
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

/// A code with which many boxes join. Its secret is not shown again.
public struct BulkCodeListing: Equatable, Sendable {
    /// 16 hexadecimal digits.
    public var id = ""
    public var name = ""
    public var groups: [UInt16] = []
    public var places: UInt64 = 0
    /// The number of keys that have used the code.
    public var taken: UInt64 = 0
    /// Seconds since 1970: the first second in which the code is no longer valid.
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
