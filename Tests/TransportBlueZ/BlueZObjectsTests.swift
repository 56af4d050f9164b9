import DBus
import Testing

@testable import TransportBlueZ

@Suite("The mirror of bluetoothd's objects")
struct BlueZObjectsTests {
    private func device(_ entries: [(String, DBusValue)]) -> DBusValue {
        .array(of: "{sa{sv}}", [.dictionaryEntry(key: .string(BlueZ.device), value: .properties(entries))])
    }

    @Test("Only known properties of known interfaces are kept, whatever a device advertises")
    func kept() throws {
        let path = try #require(ObjectPath("/org/bluez/hci0/dev_1"))
        var objects = BlueZObjects()
        objects.add(path, device([("Connected", .boolean(true)), ("ManufacturerData", .bytes([1, 2]))]))
        objects.change(path, BlueZ.device, ["AdvertisingData": .bytes([9]), "RSSI": .int16(-60)], invalidated: [])
        #expect(objects[path, BlueZ.device] == ["Connected": .boolean(true), "RSSI": .int16(-60)])
        objects.change(path, BlueZ.device, [:], invalidated: ["RSSI"])
        #expect(objects[path, BlueZ.device]?["RSSI"] == nil)
        objects.remove(path, interfaces: [BlueZ.device])
        #expect(objects.objects.isEmpty)
    }

    @Test("Values of wrong types, and objects of wrong shapes, are as if they were not there")
    func wrongTypes() throws {
        let path = try #require(ObjectPath("/org/bluez/hci0"))
        var objects = BlueZObjects(managed: .string("rubbish"))
        objects.add(path, .bytes([1]))
        objects.add(path, .array(of: "{sa{sv}}", [.dictionaryEntry(key: .string(BlueZ.adapter), value: .byte(1))]))
        #expect(Adapter(path, in: objects)?.isPowered == false)
        objects.change(path, BlueZ.adapter, ["Powered": .string("yes"), "Address": .byte(3)], invalidated: [])
        #expect(Adapter(path, in: objects)?.isPowered == false)
        #expect(Adapter(path, in: objects)?.address == "")
    }

    @Test("More objects than the limit are not kept")
    func bound() throws {
        var objects = BlueZObjects()
        for number in 0..<(BlueZObjects.objectLimit + 100) {
            objects.add(try #require(ObjectPath("/d\(number)")), device([]))
        }
        #expect(objects.objects.count == BlueZObjects.objectLimit)
    }

    @Test("The number of a device's adapter is in its path, and other paths have none")
    func adapterNumber() throws {
        for (text, number) in [("/org/bluez/hci12/dev_00_AA", 12), ("/org/bluez", nil), ("/org/bluez/x1/dev", nil)] {
            let path = try #require(ObjectPath(text))
            #expect(BlueZ.adapterNumber(of: path) == number)
        }
    }
}
