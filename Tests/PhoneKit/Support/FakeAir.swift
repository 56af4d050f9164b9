import Links
import Synchronization
import Transport

/// The boxes in range of a phone.
final class FakeAir: CentralRadio {
    struct Place: Sendable {
        let box: FakeBox
        /// The digits that the box advertises. Another box may advertise the same digits.
        let digits: String
        /// The time from the start of a scan until the box is first heard.
        let heardAfter: Duration
        /// The number of connections that fail before one succeeds.
        var failures: Int
    }

    private let places: Mutex<[Place]>
    private let world: VirtualWorld

    init(in world: VirtualWorld, _ places: [Place] = []) {
        self.world = world
        self.places = Mutex(places)
    }

    func add(_ box: FakeBox, showing digits: String = "1234", after: Duration = .milliseconds(100), failures: Int = 0) {
        places.withLock { $0.append(Place(box: box, digits: digits, heardAfter: after, failures: failures)) }
    }

    func clear() {
        places.withLock { $0 = [] }
    }

    func scan(
        for duration: Duration, found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError) {
        let start = world.now()
        let heard = places.withLock { Array($0.enumerated()) }.sorted { $0.element.heardAfter < $1.element.heardAfter }
        for (index, place) in heard where place.heardAfter <= duration {
            try await wait(until: start + place.heardAfter)
            let name = Array(Advertisement.name(boxID: place.digits).utf8)
            if await found(Advertisement(name: name, address: String(index), rssi: -50)) { return }
        }
        try await wait(until: start + duration)
    }

    func connect(to address: String) async throws(LinkError) -> any CentralLink {
        let place = places.withLock { places -> Place? in
            guard let index = Int(address), places.indices.contains(index) else { return nil }
            let place = places[index]
            places[index].failures = max(0, place.failures - 1)
            return place
        }
        guard let place else { throw .notFound }
        guard place.failures == 0 else { throw .closed }
        guard let link = try? await place.box.accept() else { throw .closed }
        return link
    }

    private func wait(until deadline: Duration) async throws(LinkError) {
        do {
            try await world.sleep(until: deadline)
        } catch {
            throw .cancelled
        }
    }
}
