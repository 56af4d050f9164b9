import CDBus

/// A message from the bus, with all values read.
struct IncomingMessage: Sendable {
    enum Kind: Sendable { case call, reply, error, signal }

    let kind: Kind
    let sender: String
    let path: ObjectPath?
    let interface: String
    let member: String
    let errorName: String
    /// The serial of the call that this message answers.
    let replySerial: UInt32
    let serial: UInt32
    let wantsReply: Bool
    /// A failure to read the values is an error of this message only, not of the connection.
    let arguments: Result<[DBusValue], DBusError>

    init?(_ message: OpaquePointer) {
        switch dbus_message_get_type(message) {
        case cdbus_method_call: kind = .call
        case cdbus_method_return: kind = .reply
        case cdbus_error: kind = .error
        case cdbus_signal: kind = .signal
        default: return nil
        }
        // SAFETY: each text is in the message and is copied at once. A text that the header lacks is nil.
        func text(_ start: UnsafePointer<CChar>?) -> String { start.map { String(cString: $0) } ?? "" }
        sender = text(dbus_message_get_sender(message))
        path = ObjectPath(text(dbus_message_get_path(message)))
        interface = text(dbus_message_get_interface(message))
        member = text(dbus_message_get_member(message))
        errorName = text(dbus_message_get_error_name(message))
        replySerial = dbus_message_get_reply_serial(message)
        serial = dbus_message_get_serial(message)
        wantsReply = dbus_message_get_no_reply(message) == 0
        do throws(DBusError) {
            arguments = .success(try MessageReader.arguments(of: message))
        } catch {
            arguments = .failure(error)
        }
    }

    /// The error in this message. Its text comes from another program, so only printable characters are kept.
    var error: DBusError {
        let words = ((try? arguments.get())?.first?.text ?? "").unicodeScalars.prefix(200)
        let safe = String(String.UnicodeScalarView(words.filter { $0.value >= 0x20 && $0.value < 0x7F }))
        return .reply(name: errorName, message: safe)
    }
}
