import Testing

@testable import DBus

@Suite("D-Bus values")
struct ValueTests {
    @Test(
        "Only valid object paths can be made",
        arguments: [
            ("/", true), ("/a", true), ("/org/bluez/hci0/dev_AA_BB", true), ("", false), ("a", false), ("/a/", false),
            ("//a", false), ("/a-b", false), ("/a\u{0}", false), ("/é", false),
            ("/" + String(repeating: "a", count: 254), true), ("/" + String(repeating: "a", count: 255), false),
        ])
    func paths(text: String, isValid: Bool) {
        #expect((ObjectPath(text) != nil) == isValid)
    }

    @Test("A path contains itself and what is below it, and not its namesakes")
    func namespaces() throws {
        let adapter = try #require(ObjectPath("/org/bluez/hci1"))
        #expect(adapter.contains(adapter))
        #expect(adapter.contains(try #require(ObjectPath("/org/bluez/hci1/dev"))))
        #expect(!adapter.contains(try #require(ObjectPath("/org/bluez/hci10"))))
        #expect(ObjectPath.root.contains(adapter))
    }

    @Test("Signatures are those of the specification")
    func signatures() {
        #expect(DBusValue.properties([("a", .uint16(1))]).signature == "a{sv}")
        #expect(DBusValue.structure([.byte(1), .array(of: "s", [.string("x")])]).signature == "(yas)")
        #expect(DBusValue.bytes([1]).signature == "ay")
        #expect(DBusValue.variant(.boolean(true)).signature == "v")
    }

    @Test("A value of another type than expected is nil, never a trap")
    func wrongTypes() {
        let values: [DBusValue] = [
            .byte(1), .string("x"), .bytes([1]), .array(of: "s", []), .variant(.variant(.double(1))), .structure([]),
        ]
        for value in values {
            _ = (value.text, value.path, value.flag, value.integer, value.byteArray, value.elements, value.dictionary)
            _ = value.ownedDescriptor
        }
        #expect(DBusValue.string("1").integer == nil)
        #expect(DBusValue.uint64(.max).integer == nil)
        #expect(DBusValue.variant(.int16(-5)).integer == -5)
        #expect(DBusValue.bytes([1]).dictionary == nil)
    }

    @Test("Of a key that comes twice the last value counts, and variants are opened")
    func dictionaries() {
        let value = DBusValue.properties([("a", .byte(1)), ("a", .byte(2))])
        #expect(value.dictionary == ["a": .byte(2)])
    }
}
