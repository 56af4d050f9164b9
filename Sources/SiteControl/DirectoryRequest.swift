import ControlProtocol

/// What `boxsite-directory` says to boxsited. Nobody else may (docs/decisions/053-directory.md).
public enum DirectoryRequest: Equatable, Sendable {
    /// Whom to look up: the answer waits for a while for somebody, and is `lookUp` for each name, then `done`.
    case next
    /// What became of the next name. It has no answer.
    case found(DirectoryFinding)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> DirectoryRequest { try read(input) }

    public func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        try write(secret: RawSpan(), to: &output)
    }
}

/// What was found of one name.
public struct DirectoryFinding: Equatable, Sendable {
    public enum Kind: String, FieldWord, Sendable, CaseIterable {
        case there
        case gone
        case notAllowed = "not-allowed"
        case unclear
    }

    public var kind = Kind.unclear
    /// The name that the account itself has, where the user was asked for by another spelling.
    public var name: String?
    /// Why, where that is not there.
    public var why: String?
    /// Of those that were asked about, the numbers of groups that have the user, in the order in which they were asked; nil: not known.
    /// A number has one byte.
    public var groups: [UInt8]?

    public init() {}

    /// Groups that are asked about, at most.
    public static let groupLimit = 64

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.word("kind", &kind)
        try coder.text("name", &name, limit: DirectoryName.nameBytes)
        try coder.text("why", &why, limit: ControlLimits.textBytes)
        try coder.bytes("groups", &groups, limit: Self.groupLimit)
    }
}

/// A name that is looked up.
public struct DirectoryName: Equatable, Sendable {
    public enum Kind: String, FieldWord, Sendable, CaseIterable {
        /// One of the groups that users are looked for in.
        case group
        case user
    }

    public var kind = Kind.user
    public var name = ""

    public init() {}

    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// A group's name.
    public static let nameBytes = 255

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.word("kind", &kind)
        try coder.text("name", &name, limit: Self.nameBytes)
    }
}

extension DirectoryRequest: ControlMessage {
    package enum Kind: String, FieldWord, CaseIterable {
        case next = "directory-next"
        case found = "directory-found"
    }

    package var kind: Kind {
        switch self {
        case .next: .next
        case .found: .found
        }
    }

    package init(blank kind: Kind) {
        self =
            switch kind {
            case .next: .next
            case .found: .found(DirectoryFinding())
            }
    }

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        guard case .found(var finding) = self else { return }
        try finding.code(&coder)
        self = .found(finding)
    }
}
