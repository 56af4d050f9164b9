import CDBus
import DBus
import TransportBlueZ

/// A message as a bus could deliver it. Messages that libdbus accepts must be read within bounds. The message also
/// serves as bluetoothd's answer to GetManagedObjects.
enum DBusMessageFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        let parsed = bytes.withUnsafeBytes { buffer in
            // SAFETY: libdbus reads `count` bytes and keeps none of them.
            dbus_message_demarshal(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(count), nil)
        }
        guard let message = parsed else { return 0 }
        defer { dbus_message_unref(message) }
        guard let values = try? MessageReader.arguments(of: message) else { return 0 }
        for value in values { promise(walk(value) <= MessageReader.valueLimit, "more values than the bound") }
        let objects = BlueZObjects(managed: values.first)
        promise(objects.objects.count <= BlueZObjects.objectLimit, "more objects than the bound")
        return 0
    }

    /// Reads a value as each type, and returns the number of values in it.
    private static func walk(_ value: DBusValue) -> Int {
        _ = (value.text, value.path, value.integer, value.flag, value.byteArray, value.dictionary)
        promise(!value.signature.isEmpty, "a value without a signature")
        return (value.elements ?? []).reduce(1) { $0 + walk($1) }
    }
}
