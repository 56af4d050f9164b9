import CDBus

/// A connection of libdbus, closed and released with its last owner.
///
/// libdbus never gets a callback: the actor itself reads, writes and takes messages. So no C code calls back into
/// Swift.
///
/// SAFETY: only `DBusConnection` has a handle and uses it on its executor. The deinit runs after the last use.
final class BusHandle: @unchecked Sendable {
    /// The largest message in bytes. bluetoothd's list of objects for a hundred devices has some 100 KiB.
    static let messageBytesLimit = 4_194_304
    static let messageDescriptorsLimit = 4
    static let receivedDescriptorsLimit = 64

    let pointer: OpaquePointer
    let descriptor: Int32

    init(address: String) throws(DBusError) {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard !address.utf8.contains(0), let opened = dbus_connection_open_private(address, &error) else {
            // SAFETY: libdbus has set the message, which is copied before the error is freed.
            throw .unreachable(error.message.map { String(cString: $0) } ?? "not a valid D-Bus address")
        }
        var descriptor: Int32 = -1
        guard dbus_connection_get_unix_fd(opened, &descriptor) != 0 else {
            dbus_connection_close(opened)
            dbus_connection_unref(opened)
            throw .unreachable("the bus is not on this machine")
        }
        pointer = opened
        self.descriptor = descriptor
        dbus_connection_set_exit_on_disconnect(opened, 0)
        dbus_connection_set_max_message_size(opened, Self.messageBytesLimit)
        dbus_connection_set_max_received_size(opened, Self.messageBytesLimit)
        dbus_connection_set_max_message_unix_fds(opened, Self.messageDescriptorsLimit)
        dbus_connection_set_max_received_unix_fds(opened, Self.receivedDescriptorsLimit)
    }

    deinit {
        close()
        dbus_connection_unref(pointer)
    }

    /// Disconnects from the bus.
    func close() {
        if dbus_connection_get_is_connected(pointer) != 0 { dbus_connection_close(pointer) }
    }

    /// Reads and writes without blocking. Returns false if the peer has closed the connection.
    func readAndWrite() -> Bool { dbus_connection_read_write(pointer, 0) != 0 }

    var isReadable: Bool { cdbus_is_readable(descriptor) != 0 }

    /// True if there are messages to send, or authentication is not complete.
    var wantsToWrite: Bool {
        dbus_connection_has_messages_to_send(pointer) != 0 || dbus_connection_get_is_authenticated(pointer) == 0
    }

    /// Returns the next complete message.
    func next() -> IncomingMessage? {
        while let message = dbus_connection_pop_message(pointer) {
            defer { dbus_message_unref(message) }
            if let incoming = IncomingMessage(message) { return incoming }
        }
        return nil
    }

    /// Queues a message for sending, and returns its serial.
    func send(_ message: OpaquePointer) throws(DBusError) -> UInt32 {
        var serial: UInt32 = 0
        guard dbus_connection_get_is_connected(pointer) != 0 else { throw .disconnected }
        guard dbus_connection_send(pointer, message, &serial) != 0 else { throw .queueFull }
        return serial
    }

    /// The number of bytes that wait to be sent.
    var outgoingBytes: Int { max(0, dbus_connection_get_outgoing_size(pointer)) }

    func setUniqueName(_ name: String) { dbus_bus_set_unique_name(pointer, name) }
}
