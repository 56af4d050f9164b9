import CDBus
import EventLoop

enum MessageWriter {
    /// The deepest nesting in our messages. The specification allows 64.
    static let depthLimit = 16

    static func append(_ values: [DBusValue], to message: OpaquePointer) throws(DBusError) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        for value in values {
            try append(value, &iterator, depth: 0)
        }
    }

    private static func append(_ value: DBusValue, _ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) {
        guard depth < depthLimit else { throw .invalidArgument("values nested so deeply") }
        switch value {
        case .byte(let number): try basic(number, cdbus_byte, &iterator)
        case .boolean(let flag): try basic(dbus_bool_t(flag ? 1 : 0), cdbus_boolean, &iterator)
        case .int16(let number): try basic(number, cdbus_int16, &iterator)
        case .uint16(let number): try basic(number, cdbus_uint16, &iterator)
        case .int32(let number): try basic(number, cdbus_int32, &iterator)
        case .uint32(let number): try basic(number, cdbus_uint32, &iterator)
        case .int64(let number): try basic(number, cdbus_int64, &iterator)
        case .uint64(let number): try basic(number, cdbus_uint64, &iterator)
        case .double(let number): try basic(number, cdbus_double, &iterator)
        case .string(let text): try append(text, cdbus_string, &iterator)
        case .objectPath(let path): try append(path.text, cdbus_object_path, &iterator)
        case .signature(let text):
            guard isSignature(text) else { throw .invalidArgument("that signature") }
            try append(text, cdbus_signature, &iterator)
        case .descriptor(let descriptor):
            guard descriptor.number >= 0 else { throw .invalidArgument("a descriptor that is closed") }
            try basic(descriptor.number, cdbus_unix_fd, &iterator)
        case .bytes(let bytes): try append(bytes, &iterator)
        case .array(let element, let values):
            guard isSignature("a" + element), values.allSatisfy({ $0.signature == element }) else {
                throw .invalidArgument("an array of unlike values")
            }
            try container(cdbus_array, element, values, &iterator, depth)
        case .structure(let fields): try container(cdbus_struct, nil, fields, &iterator, depth)
        case .dictionaryEntry(let key, let entry): try container(cdbus_dict_entry, nil, [key, entry], &iterator, depth)
        case .variant(let inner): try container(cdbus_variant, inner.signature, [inner], &iterator, depth)
        }
    }

    private static func basic<Value: BitwiseCopyable>(
        _ value: Value, _ type: Int32, _ iterator: inout DBusMessageIter
    ) throws(DBusError) {
        // SAFETY: libdbus copies a value of the type's own width before it returns.
        let appended = withUnsafePointer(to: value) { dbus_message_iter_append_basic(&iterator, type, $0) }
        guard appended != 0 else { throw .queueFull }
    }

    private static func append(
        _ text: String, _ type: Int32, _ iterator: inout DBusMessageIter
    ) throws(DBusError) {
        guard !text.utf8.contains(0) else { throw .invalidArgument("a text with a zero byte") }
        // SAFETY: libdbus copies the text before it returns. A Swift string is valid UTF-8, as libdbus requires.
        let appended = text.withCString { start in
            withUnsafePointer(to: start) { dbus_message_iter_append_basic(&iterator, type, $0) }
        }
        guard appended != 0 else { throw .queueFull }
    }

    private static func append(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) throws(DBusError) {
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, cdbus_array, "y", &inner) != 0 else { throw .queueFull }
        // SAFETY: the pointer to the buffer's start lives during the call, which copies the bytes.
        let appended = bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress, !buffer.isEmpty else { return dbus_bool_t(1) }
            return withUnsafePointer(to: start) {
                dbus_message_iter_append_fixed_array(&inner, cdbus_byte, $0, Int32(clamping: buffer.count))
            }
        }
        guard appended != 0 else {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw .queueFull
        }
        guard dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw .queueFull }
    }

    private static func container(
        _ type: Int32, _ signature: String?, _ values: [DBusValue], _ iterator: inout DBusMessageIter, _ depth: Int
    ) throws(DBusError) {
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, type, signature, &inner) != 0 else { throw .queueFull }
        do throws(DBusError) {
            for value in values {
                try append(value, &inner, depth: depth + 1)
            }
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw .queueFull }
    }

    private static func isSignature(_ text: String) -> Bool {
        !text.utf8.contains(0) && dbus_signature_validate(text, nil) != 0
    }
}
