import DBus
import Testing

@testable import TransportBlueZ

@Suite("What is registered at bluetoothd")
struct RegistrationPlanTests {
    private func adapter(
        _ name: String = "hci0", powered: Bool = true, active: UInt8 = 0, address: String = "AA", managers: Bool = true
    ) throws -> Adapter {
        let path = try #require(ObjectPath("/org/bluez/" + name))
        var interfaces: [(String, [(String, DBusValue)])] = [
            (BlueZ.adapter, [("Powered", .boolean(powered)), ("Address", .string(address))])
        ]
        if managers {
            interfaces += [(BlueZ.gattManager, []), (BlueZ.advertisingManager, [("ActiveInstances", .byte(active))])]
        }
        var objects = BlueZObjects()
        objects.add(
            path,
            .array(
                of: "{sa{sv}}",
                interfaces.map { .dictionaryEntry(key: .string($0.0), value: .properties($0.1)) }))
        return try #require(Adapter(path, in: objects))
    }

    /// Takes all steps, each with success, and returns their names.
    private func run(_ plan: inout RegistrationPlan, now: Duration = .zero) -> [String] {
        var steps: [String] = []
        while let step = plan.next(now: now), steps.count < 20 {
            let words: String =
                switch step {
                case .registerApplication: "application"
                case .unregisterApplication: "no application"
                case .registerAdvertisement(_, let mode): "advertise \(mode)"
                case .unregisterAdvertisement: "no advertisement"
                case .registerAgent: "agent"
                }
            steps.append(words)
            plan.finished(step, .done, now: now)
        }
        return steps
    }

    private func registered() throws -> RegistrationPlan {
        var plan = RegistrationPlan(needsAgent: false)
        plan.wanted = .fast
        plan.adapterChanged(to: try adapter())
        let steps = run(&plan)
        #expect(steps == ["application", "advertise fast"])
        plan.adapterChanged(to: try adapter(active: 1))
        return plan
    }

    @Test("With an adapter that can serve, the application comes first and the advertisement after it")
    func order() throws {
        var plan = try registered()
        let steps = run(&plan)
        #expect(steps == [])
        #expect(plan.isRegistered && plan.advertisedMode == .fast)
    }

    @Test("Nothing is asked of an adapter that is absent, off, or cannot serve")
    func unusable() throws {
        for useless in [nil, try adapter(powered: false), try adapter(managers: false)] {
            var plan = RegistrationPlan(needsAgent: true)
            plan.wanted = .fast
            plan.adapterChanged(to: useless)
            let steps = run(&plan)
            #expect(steps == [])
        }
    }

    @Test("Another interval takes the old advertisement back; none leaves the application")
    func modes() throws {
        var plan = try registered()
        plan.wanted = .slow
        let slow = run(&plan)
        #expect(slow == ["no advertisement", "advertise slow"])
        plan.wanted = .off
        let off = run(&plan)
        #expect(off == ["no advertisement"])
        #expect(plan.isRegistered)
    }

    @Test("After bluetoothd was away everything is registered again")
    func serviceLost() throws {
        var plan = try registered()
        plan.serviceLost()
        #expect(!plan.isRegistered)
        plan.adapterChanged(to: try adapter())
        let steps = run(&plan)
        #expect(steps == ["application", "advertise fast"])
    }

    @Test("After the adapter was off both are taken back and registered again")
    func poweredOff() throws {
        var plan = try registered()
        plan.adapterChanged(to: try adapter(powered: false, active: 1))
        plan.adapterChanged(to: try adapter(active: 1))
        let steps = run(&plan)
        #expect(steps == ["no application", "application", "no advertisement", "advertise fast"])
    }

    @Test("Another piece of hardware under the same name is served anew")
    func replaced() throws {
        var plan = try registered()
        plan.adapterChanged(to: try adapter(address: "BB"))
        let steps = run(&plan)
        #expect(steps == ["no application", "application", "no advertisement", "advertise fast"])
    }

    @Test("An advertisement that bluetoothd has lost or released is registered again")
    func lostAdvertisement() throws {
        var plan = try registered()
        plan.adapterChanged(to: try adapter(active: 0))
        let lost = run(&plan)
        #expect(lost == ["no advertisement", "advertise fast"])
        plan.advertisementReleased()
        let released = run(&plan)
        #expect(released == ["advertise fast"])
    }

    @Test("A failure is told with its cure and tried again, at most two seconds apart")
    func failures() throws {
        var plan = RegistrationPlan(needsAgent: false)
        plan.wanted = .fast
        plan.adapterChanged(to: try adapter())
        var now = Duration.zero
        for _ in 0..<10 {
            let next = plan.next(now: now)
            let step = try #require(next)
            plan.finished(step, .failed("no", slotsTaken: false), now: now)
            #expect(plan.failure != nil)
            let early = plan.next(now: now)
            #expect(early == nil)
            let retry = try #require(plan.retryAt)
            #expect(retry - now <= .seconds(2))
            now = retry
        }
        let steps = run(&plan, now: now)
        #expect(steps == ["application", "advertise fast"])
        #expect(plan.failure == nil && plan.retryAt == nil)
    }

    @Test("An outcome that comes after bluetoothd was lost changes nothing")
    func lateOutcome() throws {
        var plan = RegistrationPlan(needsAgent: false)
        plan.wanted = .fast
        plan.adapterChanged(to: try adapter())
        let next = plan.next(now: .zero)
        let step = try #require(next)
        plan.serviceLost()
        plan.finished(step, .done, now: .zero)
        #expect(!plan.isRegistered)
    }

    @Test("A box that asks for encrypted links registers its pairing agent before anything else")
    func agent() throws {
        var plan = RegistrationPlan(needsAgent: true)
        plan.wanted = .fast
        plan.adapterChanged(to: try adapter())
        let steps = run(&plan)
        #expect(steps == ["agent", "application", "advertise fast"])
    }
}
