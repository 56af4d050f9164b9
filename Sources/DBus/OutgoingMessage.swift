import CDBus

/// Makes messages. libdbus ends a program that passes an invalid interface, member or path, so each is checked first.
enum OutgoingMessage {
    /// Passes a method call to `body`, and releases it afterwards.
    static func withCall<Result>(
        _ call: MethodCall, wantsReply: Bool, _ body: (OpaquePointer) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        guard isName(call.destination, dbus_validate_bus_name), isName(call.interface, dbus_validate_interface),
            isName(call.member, dbus_validate_member)
        else { throw .invalidArgument("a call of \(call.interface).\(call.member)") }
        let made = dbus_message_new_method_call(call.destination, call.path.text, call.interface, call.member)
        return try with(made, call.arguments) { (message) throws(DBusError) in
            dbus_message_set_no_reply(message, wantsReply ? 0 : 1)
            // A call must not start a service: if bluetoothd is not running, users are told instead.
            dbus_message_set_auto_start(message, 0)
            return try body(message)
        }
    }

    static func withSignal<Result>(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue],
        _ body: (OpaquePointer) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        guard isName(interface, dbus_validate_interface), isName(member, dbus_validate_member) else {
            throw .invalidArgument("a signal \(interface).\(member)")
        }
        return try with(dbus_message_new_signal(path.text, interface, member), arguments, body)
    }

    static func withReply<Result>(
        _ reply: MethodReply, to sender: String, serial: UInt32, _ body: (OpaquePointer) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        guard isName(sender, dbus_validate_bus_name) else { throw .invalidArgument("a reply without a recipient") }
        var values: [DBusValue] = []
        let made: OpaquePointer?
        switch reply {
        case .values(let given):
            values = given
            made = dbus_message_new(cdbus_method_return)
        case .error(let name, let words):
            guard isName(name, dbus_validate_error_name) else { throw .invalidArgument("an error \(name)") }
            values = [.string(words)]
            made = dbus_message_new(cdbus_error)
            if let made { dbus_message_set_error_name(made, name) }
        case .later: throw .invalidArgument("a reply that is still missing")
        }
        return try with(made, values) { (message) throws(DBusError) in
            guard dbus_message_set_destination(message, sender) != 0,
                dbus_message_set_reply_serial(message, serial) != 0
            else { throw .queueFull }
            dbus_message_set_no_reply(message, 1)
            return try body(message)
        }
    }

    private static func with<Result>(
        _ made: OpaquePointer?, _ arguments: [DBusValue], _ body: (OpaquePointer) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        guard let made else { throw .queueFull }
        defer { dbus_message_unref(made) }
        try MessageWriter.append(arguments, to: made)
        return try body(made)
    }

    private static func isName(
        _ name: String,
        _ validate: (UnsafePointer<CChar>?, UnsafeMutablePointer<CDBus.DBusError>?) -> dbus_bool_t
    ) -> Bool {
        // SAFETY: the pointer lives during the call, and no error is requested.
        !name.utf8.contains(0) && name.withCString { validate($0, nil) } != 0
    }
}
