import EventLoop

/// A value of D-Bus's type system (D-Bus Specification, "Type System").
///
/// Integers of 16 to 64 bits keep their width, because signatures must match exactly.
public indirect enum DBusValue: Sendable, Equatable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(String)
    case descriptor(OwnedDescriptor)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// Any other array, with the signature of its elements.
    case array(of: String, [DBusValue])
    case structure([DBusValue])
    case dictionaryEntry(key: DBusValue, value: DBusValue)
    case variant(DBusValue)

    public var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .dictionaryEntry(let key, let value): "{" + key.signature + value.signature + "}"
        case .variant: "v"
        }
    }
}

extension DBusValue {
    /// Makes a dictionary of variants, `a{sv}`, in the given order.
    public static func properties(_ entries: [(String, DBusValue)]) -> DBusValue {
        .array(of: "{sv}", entries.map { .dictionaryEntry(key: .string($0), value: .variant($1)) })
    }

    public static func strings(_ texts: [String]) -> DBusValue {
        .array(of: "s", texts.map { .string($0) })
    }

    // These properties read values from peers. They are nil for a value of another type, and never trap.

    /// A string, an object path or a signature, directly or inside a variant.
    public var text: String? {
        switch self {
        case .string(let text), .signature(let text): text
        case .objectPath(let path): path.text
        case .variant(let inner): inner.text
        default: nil
        }
    }

    public var path: ObjectPath? {
        switch self {
        case .objectPath(let path): path
        case .variant(let inner): inner.path
        default: nil
        }
    }

    public var flag: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .variant(let inner): inner.flag
        default: nil
        }
    }

    /// An integer of any type, if it fits into Int.
    public var integer: Int? {
        switch self {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        case .variant(let inner): inner.integer
        default: nil
        }
    }

    public var byteArray: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .variant(let inner): inner.byteArray
        default: nil
        }
    }

    public var elements: [DBusValue]? {
        switch self {
        case .array(_, let elements): elements
        case .variant(let inner): inner.elements
        default: nil
        }
    }

    /// The fields of a structure.
    public var fields: [DBusValue]? {
        switch self {
        case .structure(let fields): fields
        case .variant(let inner): inner.fields
        default: nil
        }
    }

    /// The descriptor, which the caller then owns.
    public var ownedDescriptor: OwnedDescriptor? {
        switch self {
        case .descriptor(let descriptor): descriptor
        case .variant(let inner): inner.ownedDescriptor
        default: nil
        }
    }

    /// A dictionary with string or path keys. The last value of a duplicate key counts. Variants are unwrapped.
    public var dictionary: [String: DBusValue]? {
        switch self {
        case .array(let element, let entries) where element.hasPrefix("{s") || element.hasPrefix("{o"):
            var dictionary: [String: DBusValue] = [:]
            for case .dictionaryEntry(let key, let value) in entries {
                guard let key = key.text else { continue }
                if case .variant(let inner) = value { dictionary[key] = inner } else { dictionary[key] = value }
            }
            return dictionary
        case .variant(let inner): return inner.dictionary
        default: return nil
        }
    }
}
