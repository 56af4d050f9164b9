/// A valid object path (D-Bus Specification, "Valid Object Paths"). libdbus ends a program that passes an invalid path.
public struct ObjectPath: Sendable, Hashable, CustomStringConvertible {
    public static let byteLimit = 255
    public static let root = ObjectPath(checked: "/")

    public let text: String

    public init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.text = text
    }

    private init(checked text: String) {
        self.text = text
    }

    public var description: String { text }

    /// Returns the path of a child, or nil if that path is not valid.
    public func appending(_ name: String) -> ObjectPath? {
        ObjectPath(self == .root ? "/" + name : text + "/" + name)
    }

    /// Returns whether `other` is this object or one below it.
    public func contains(_ other: ObjectPath) -> Bool {
        self == .root || other == self || other.text.utf8.starts(with: (text + "/").utf8)
    }

    private static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= byteLimit else { return false }
        if bytes.count == 1 { return true }
        return bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(Self.isNameByte) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
