import DBus
import Testing

@testable import TransportBlueZ

@Suite("Phones that are connected")
struct ConnectedPhonesTests {
    private func device(_ number: Int) throws -> ObjectPath {
        try #require(ObjectPath("/org/bluez/hci0/dev_\(number)"))
    }

    @Test("A phone whose request comes after its end is a ghost until it is connected again, or forgotten")
    func ghosts() throws {
        var phones = ConnectedPhones()
        let phone = try device(1)
        #expect(!phones.isGhost(phone))
        phones.update(phone, connected: true)
        phones.touched(phone, mtu: nil)
        #expect(!phones.isGhost(phone))
        phones.update(phone, connected: false)
        phones.touched(phone, mtu: nil)
        #expect(phones.isGhost(phone))
        phones.update(phone, connected: true)
        #expect(!phones.isGhost(phone))
        phones.update(phone, connected: false)
        phones.touched(phone, mtu: nil)
        phones.update(phone, connected: false)
        #expect(!phones.isGhost(phone) && phones.phones.isEmpty)
    }

    @Test("More devices than the limit are not remembered")
    func bound() throws {
        var phones = ConnectedPhones()
        for number in 0..<(2 * ConnectedPhones.phoneLimit) {
            phones.update(try device(number), connected: true)
        }
        #expect(phones.phones.count == ConnectedPhones.phoneLimit)
    }
}
