import AgentCore

/// Links of eight connections and four devices that arrive, authenticate and leave in any order.
enum LinkAdmissionFuzz {
    private static let limit = 8

    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        var world = World()
        while let kind = steps.next(of: 4) { world.step(kind, &steps) }
        return 0
    }

    private struct World {
        var machine = LinkAdmission(halfOpenLimit: LinkAdmissionFuzz.limit)
        var halfOpen: [ChannelID: String] = [:]
        var authenticated: [ChannelID: [UInt8]] = [:]
        /// Connections that have lost a half-open link to a newer one.
        var gaveWay: Set<String> = []
        var last: UInt64 = 0

        mutating func step(_ kind: UInt8, _ steps: inout FuzzSteps) {
            let number = steps.choice(of: 8)
            switch kind {
            case 0, 1: arrive("connection \(number)")
            case 2: authenticate(device: [number % 4], any: steps.choice(of: 16))
            default: leave(any: number)
            }
            promise(machine.halfOpenCount == halfOpen.count, "a half-open link is forgotten, or counted for ever")
            promise(halfOpen.count <= LinkAdmissionFuzz.limit, "more links are half-open than the bound")
            promise(machine.authenticatedCount == authenticated.count, "a channel is forgotten, or counted for ever")
            for device in 0..<UInt8(4) {
                let own = machine.channels(of: [device])
                promise(own.count <= LinkAdmission.channelsPerDevice, "a device has more channels than the bound")
                promise(own.allSatisfy { authenticated[$0] == [device] }, "a device has another's channel")
            }
        }

        private mutating func arrive(_ connection: String) {
            last += 1
            let before = halfOpen
            halfOpen[ChannelID(number: last)] = connection
            let leaving = machine.arrived(ChannelID(number: last), over: connection)
            promise(
                leaving.count == max(0, halfOpen.count - LinkAdmissionFuzz.limit), "the wrong number of links gives way"
            )
            for channel in leaving {
                let owner = halfOpen.removeValue(forKey: channel)
                promise(owner != nil, "a link gives way that is not half-open")
                let count = before.values.count { $0 == owner }
                // A connection with several links must not push out the only link of a new connection.
                let most = Dictionary(before.values.map { ($0, 1) }, uniquingKeysWith: +).values.max() ?? 0
                let isNew = owner.map { !gaveWay.contains($0) } ?? true
                promise(count + 1 >= most || owner == connection || !isNew, "somebody's only link gives way to a crowd")
                if let owner { gaveWay.insert(owner) }
            }
        }

        private mutating func authenticate(device: [UInt8], any choice: UInt8) {
            let sorted = halfOpen.keys.sorted { $0.number < $1.number }
            guard !sorted.isEmpty else { return }
            let channel = sorted[Int(choice) % sorted.count]
            halfOpen[channel] = nil
            authenticated[channel] = device
            for leaving in machine.authenticated(channel, device: device) {
                promise(leaving != channel, "the newest channel gives way")
                promise(authenticated.removeValue(forKey: leaving) == device, "another device's channel gives way")
            }
        }

        private mutating func leave(any choice: UInt8) {
            let sorted = (Array(halfOpen.keys) + Array(authenticated.keys)).sorted { $0.number < $1.number }
            guard !sorted.isEmpty else { return }
            let channel = sorted[Int(choice) % sorted.count]
            halfOpen[channel] = nil
            authenticated[channel] = nil
            machine.left(channel)
        }
    }
}
