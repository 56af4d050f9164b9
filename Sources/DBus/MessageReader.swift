import CDBus
import EventLoop

/// Reads a message that libdbus has validated, within our own bounds.
package enum MessageReader {
    static let depthLimit = 16
    /// The most values in one message, on all levels. bluetoothd's list of objects has some 30 for each known device.
    package static let valueLimit = 60_000

    package static func arguments(of message: OpaquePointer) throws(DBusError) -> [DBusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        var left = valueLimit
        return try values(&iterator, depth: 0, &left)
    }

    private static func values(
        _ iterator: inout DBusMessageIter, depth: Int, _ left: inout Int
    ) throws(DBusError) -> [DBusValue] {
        guard depth < depthLimit else { throw .unexpectedReply("it is nested too deeply") }
        var values: [DBusValue] = []
        while dbus_message_iter_get_arg_type(&iterator) != cdbus_invalid {
            values.append(try value(&iterator, depth: depth, &left))
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    private static func value(
        _ iterator: inout DBusMessageIter, depth: Int, _ left: inout Int
    ) throws(DBusError) -> DBusValue {
        left -= 1
        guard left >= 0 else { throw .unexpectedReply("it is too long") }
        let type = dbus_message_iter_get_arg_type(&iterator)
        switch type {
        case cdbus_byte: return .byte(basic(0, &iterator))
        case cdbus_boolean: return .boolean(basic(dbus_bool_t(0), &iterator) != 0)
        case cdbus_int16: return .int16(basic(0, &iterator))
        case cdbus_uint16: return .uint16(basic(0, &iterator))
        case cdbus_int32: return .int32(basic(0, &iterator))
        case cdbus_uint32: return .uint32(basic(0, &iterator))
        case cdbus_int64: return .int64(basic(0, &iterator))
        case cdbus_uint64: return .uint64(basic(0, &iterator))
        case cdbus_double: return .double(basic(0, &iterator))
        case cdbus_string: return .string(text(&iterator))
        case cdbus_signature: return .signature(text(&iterator))
        case cdbus_object_path:
            guard let path = ObjectPath(text(&iterator)) else { throw .unexpectedReply("a path is too long") }
            return .objectPath(path)
        case cdbus_unix_fd:
            // libdbus returns a duplicate that the caller owns.
            return .descriptor(OwnedDescriptor(basic(-1, &iterator)))
        case cdbus_array: return try array(&iterator, depth: depth, &left)
        case cdbus_struct: return .structure(try inner(&iterator, depth: depth, &left))
        case cdbus_dict_entry:
            let parts = try inner(&iterator, depth: depth, &left)
            guard parts.count == 2 else { throw .unexpectedReply("an entry has no value") }
            return .dictionaryEntry(key: parts[0], value: parts[1])
        case cdbus_variant:
            guard let value = try inner(&iterator, depth: depth, &left).first else {
                throw .unexpectedReply("a variant is empty")
            }
            return .variant(value)
        default: throw .unexpectedReply("it has an unknown type")
        }
    }

    private static func inner(
        _ iterator: inout DBusMessageIter, depth: Int, _ left: inout Int
    ) throws(DBusError) -> [DBusValue] {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        return try values(&inner, depth: depth + 1, &left)
    }

    private static func array(
        _ iterator: inout DBusMessageIter, depth: Int, _ left: inout Int
    ) throws(DBusError) -> DBusValue {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        if dbus_message_iter_get_element_type(&iterator) == cdbus_byte { return .bytes(fixedBytes(&inner)) }
        guard let signature = dbus_message_iter_get_signature(&inner) else { throw .queueFull }
        // SAFETY: libdbus allocated the signature for us. It is copied, then freed once.
        let element = String(cString: signature)
        dbus_free(signature)
        return .array(of: element, try values(&inner, depth: depth + 1, &left))
    }

    private static func fixedBytes(_ iterator: inout DBusMessageIter) -> [UInt8] {
        // SAFETY: the pointer is into the message, which outlives this call. The bytes are copied.
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        withUnsafeMutablePointer(to: &start) { dbus_message_iter_get_fixed_array(&iterator, $0, &count) }
        guard let start, count > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private static func basic<Value: BitwiseCopyable>(_ initial: Value, _ iterator: inout DBusMessageIter) -> Value {
        var value = initial
        // SAFETY: the caller has matched the type, so libdbus writes a value of exactly this width.
        withUnsafeMutablePointer(to: &value) { dbus_message_iter_get_basic(&iterator, $0) }
        return value
    }

    private static func text(_ iterator: inout DBusMessageIter) -> String {
        // SAFETY: the text is in the message, valid UTF-8 and terminated with zero. It is copied here.
        var start: UnsafePointer<CChar>?
        withUnsafeMutablePointer(to: &start) { dbus_message_iter_get_basic(&iterator, $0) }
        guard let start else { return "" }
        return String(cString: start)
    }
}
