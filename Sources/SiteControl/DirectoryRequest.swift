import ControlProtocol

/// A request of `boxsite-directory` to boxsited. No other program may send it (docs/decisions/053-directory.md).
public enum DirectoryRequest: Equatable, Sendable {
    /// Asks for names to look up. The answer may wait until there are some. It is `lookUp` for each name, then `done`.
    case next
    /// The finding about the next name. The server does not answer it.
    case found(DirectoryFinding)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> DirectoryRequest { try read(input) }

    public func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        try write(secret: RawSpan(), to: &output)
    }
}

/// The finding about one name.
public struct DirectoryFinding: Equatable, Sendable {
    public enum Kind: String, FieldWord, Sendable, CaseIterable {
        case there
        case gone
        case notAllowed = "not-allowed"
        case unclear
    }

    public var kind = Kind.unclear
    /// The account's own spelling of the name, if the query used another spelling.
    public var name: String?
    /// The reason why the user is not `there`.
    public var why: String?
    /// The indexes of the queried groups that have the user, in one byte each, or nil if unknown.
    public var groups: [UInt8]?

    public init() {}

    /// The most groups that are queried.
    public static let groupLimit = 64

    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.word("kind", &kind)
        try coder.text("name", &name, limit: DirectoryName.nameBytes)
        try coder.text("why", &why, limit: ControlLimits.textBytes)
        try coder.bytes("groups", &groups, limit: Self.groupLimit)
    }
}

public struct DirectoryName: Equatable, Sendable {
    public enum Kind: String, FieldWord, Sendable, CaseIterable {
        /// A group whose members are looked for.
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

    /// The longest name of a group.
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
