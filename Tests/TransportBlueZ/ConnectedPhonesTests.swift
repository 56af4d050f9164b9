import DBus
import Testing

@testable import TransportBlueZ

@Suite("Which socket tells phones apart")
struct ConnectedPhonesTests {
    private func device(_ number: Int) throws -> ObjectPath {
        try #require(ObjectPath("/org/bluez/hci0/dev_\(number)"))
    }

    @Test("One phone alone may use a socket; with a second one, neither")
    func alone() throws {
        var phones = ConnectedPhones()
        let (first, second) = (try device(1), try device(2))
        phones.update(first, connected: true, paired: false)
        phones.touched(first, mtu: 185)
        #expect(phones.mayUseSocket(first))
        phones.update(second, connected: true, paired: false)
        #expect(!phones.mayUseSocket(first))
        #expect(!phones.mayUseSocket(second))
        phones.update(second, connected: false, paired: false)
        #expect(phones.mayUseSocket(first))
    }

    @Test("A paired keyboard that never touched the service counts for nothing; a paired phone does")
    func keyboards() throws {
        var phones = ConnectedPhones()
        let (phone, other) = (try device(1), try device(2))
        phones.touched(phone, mtu: nil)
        phones.update(other, connected: true, paired: true)
        #expect(phones.mayUseSocket(phone))
        phones.touched(other, mtu: nil)
        #expect(!phones.mayUseSocket(phone))
    }

    @Test("Where bluetoothd asks for a second socket while another phone's is open, each phone may have its own")
    func separate() throws {
        var phones = ConnectedPhones()
        let (first, second) = (try device(1), try device(2))
        phones.update(first, connected: true, paired: false)
        phones.update(second, connected: true, paired: false)
        phones.socketAsked(for: first, open: [first])
        #expect(!phones.mayUseSocket(first))
        phones.socketAsked(for: second, open: [first])
        #expect(phones.mayUseSocket(first))
        #expect(phones.mayUseSocket(second))
    }

    @Test("A phone whose request comes after its end is a ghost until it is connected again, or forgotten")
    func ghosts() throws {
        var phones = ConnectedPhones()
        let phone = try device(1)
        #expect(!phones.isGhost(phone))
        phones.update(phone, connected: true, paired: false)
        phones.touched(phone, mtu: nil)
        #expect(!phones.isGhost(phone))
        phones.update(phone, connected: false, paired: false)
        phones.touched(phone, mtu: nil)
        #expect(phones.isGhost(phone))
        phones.update(phone, connected: true, paired: false)
        #expect(!phones.isGhost(phone))
        phones.update(phone, connected: false, paired: false)
        phones.touched(phone, mtu: nil)
        phones.update(phone, connected: false, paired: false)
        #expect(!phones.isGhost(phone) && phones.phones.isEmpty)
    }

    @Test("More devices than the limit are not remembered")
    func bound() throws {
        var phones = ConnectedPhones()
        for number in 0..<(2 * ConnectedPhones.phoneLimit) {
            phones.update(try device(number), connected: true, paired: false)
        }
        #expect(phones.phones.count == ConnectedPhones.phoneLimit)
    }
}
