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

    @Test("A connection that begins link after link is called a flood, once, and gets no more; a new one begins anew")
    func flood() throws {
        var phones = ConnectedPhones()
        let (flood, phone) = (try device(1), try device(2))
        for device in [flood, phone] { phones.update(device, connected: true) }
        var answers: [ConnectedPhones.LinkAnswer] = []
        for _ in 0..<1_000 { answers.append(phones.mayBegin(flood)) }
        #expect(answers.filter { $0 == .welcome }.count == ConnectedPhones.linksPerConnection)
        #expect(answers.filter { $0 == .flood }.count == 1)
        let other = phones.mayBegin(phone)
        #expect(other == .welcome)
        phones.update(flood, connected: false)
        phones.update(flood, connected: true)
        let again = phones.mayBegin(flood)
        #expect(again == .welcome)
    }

    @Test("A connection has few links at once")
    func atOnce() throws {
        var phones = ConnectedPhones()
        let phone = try device(1)
        phones.update(phone, connected: true)
        for _ in 0..<ConnectedPhones.linksAtOnce {
            let answer = phones.mayBegin(phone)
            #expect(answer == .welcome)
            _ = phones.linkBegan(phone)
        }
        var answer = phones.mayBegin(phone)
        #expect(answer == .tooMany)
        _ = phones.linkEnded(phone, on: phones.phones[phone]?.connection)
        answer = phones.mayBegin(phone)
        #expect(answer == .welcome)
    }

    @Test("A link that ends late takes nothing from the connection that came after its own")
    func lateEnd() throws {
        var phones = ConnectedPhones()
        let phone = try device(1)
        phones.update(phone, connected: true)
        phones.touched(phone, mtu: nil)
        let earlier = phones.linkBegan(phone)
        phones.update(phone, connected: false)
        phones.update(phone, connected: true)
        phones.touched(phone, mtu: nil)
        let now = phones.linkBegan(phone)
        let endsEarlier = phones.linkEnded(phone, on: earlier)
        #expect(!endsEarlier && phones.phones[phone]?.links == 1)
        #expect(!phones.isIdle(phone, on: earlier) && !phones.isIdle(phone, on: now))
        let ends = phones.linkEnded(phone, on: now)
        #expect(ends && phones.isIdle(phone, on: now) && !phones.isIdle(phone, on: earlier))
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
