import DBus
import Links

/// Tracks the registrations at bluetoothd, and decides the next step towards the wanted state. Pure: one step at a
/// time, whose outcome comes by `finished`. Time is an argument.
///
/// Application and advertisement each go from `absent` to `registered`. A loss makes them `stale`. They are then
/// unregistered, become `absent`, and are registered again.
struct RegistrationPlan: Sendable {
    enum Step: Sendable, Equatable {
        case unregisterApplication(ObjectPath)
        case registerApplication(ObjectPath)
        case unregisterAdvertisement(ObjectPath)
        case registerAdvertisement(ObjectPath, AdvertisingMode)
        case registerAgent
    }

    enum Outcome: Sendable, Equatable {
        case done
        /// bluetoothd's error, and whether all slots for advertisements are taken.
        case failed(String, slotsTaken: Bool)
    }

    private enum Application: Equatable {
        case absent
        /// bluetoothd may still have an earlier registration, which must be undone first.
        case stale
        case registered
    }

    private enum Advertising: Equatable {
        case absent
        case stale
        case registered(AdvertisingMode)
    }

    /// The first pause after a failure. Each pause doubles up to the longest, so that recovery takes at most 2 s more.
    static let firstPause: Duration = .milliseconds(250)
    static let longestPause: Duration = .seconds(2)

    let needsAgent: Bool
    private var adapter: Adapter?
    private var application = Application.absent
    private var advertising = Advertising.absent
    private var hasAgent = false
    private var underWay: Step?
    private var pause = Self.firstPause
    private(set) var retryAt: Duration?
    private(set) var failure: RadioFault?
    var wanted = AdvertisingMode.off

    init(needsAgent: Bool) {
        self.needsAgent = needsAgent
    }

    var isRegistered: Bool { application == .registered }
    var advertisedMode: AdvertisingMode? {
        if case .registered(let mode) = advertising { mode } else { nil }
    }

    /// Forgets all registrations, because bluetoothd is gone.
    mutating func serviceLost() {
        self = RegistrationPlan(needsAgent: needsAgent, wanted: wanted)
    }

    private init(needsAgent: Bool, wanted: AdvertisingMode) {
        self.init(needsAgent: needsAgent)
        self.wanted = wanted
    }

    /// Takes the current adapter, or nil if none can be used.
    mutating func adapterChanged(to new: Adapter?) {
        let old = adapter
        adapter = new
        guard let new else {
            application = .absent
            advertising = .absent
            return
        }
        if old?.path != new.path || old?.address != new.address {
            // Another adapter, or other hardware under the same name.
            if old != nil { (application, advertising) = (.stale, .stale) }
            (pause, retryAt, failure) = (Self.firstPause, nil, nil)
        } else if old?.isPowered == false, new.isPowered {
            // While an adapter is off, the kernel drops its advertisement. bluetoothd neither notices nor restores it
            // (5.66 does not handle MGMT_EV_ADVERTISING_REMOVED).
            (application, advertising) = (.stale, .stale)
            (pause, retryAt, failure) = (Self.firstPause, nil, nil)
        } else if case .registered = advertising, (old?.activeInstances ?? 0) > 0, new.activeInstances == 0 {
            advertising = .stale
        }
    }

    /// Notes that bluetoothd has released the advertisement.
    mutating func advertisementReleased() {
        if case .registered = advertising { advertising = .absent }
    }

    /// Notes that the advertised data has changed, so the advertisement must be registered again.
    mutating func advertisementChanged() {
        if case .registered = advertising { advertising = .stale }
    }

    /// Returns the next step, which is pending until `finished`.
    mutating func next(now: Duration) -> Step? {
        guard underWay == nil, let adapter, adapter.isPowered, adapter.isPeripheral else { return nil }
        if let retryAt, now < retryAt { return nil }
        underWay = step(on: adapter)
        return underWay
    }

    private func step(on adapter: Adapter) -> Step? {
        if needsAgent, !hasAgent { return .registerAgent }
        switch application {
        case .stale: return .unregisterApplication(adapter.path)
        case .absent: return .registerApplication(adapter.path)
        case .registered: break
        }
        switch advertising {
        case .stale: return .unregisterAdvertisement(adapter.path)
        case .registered(let mode) where mode != wanted: return .unregisterAdvertisement(adapter.path)
        case .absent where wanted != .off: return .registerAdvertisement(adapter.path, wanted)
        case .absent, .registered: return nil
        }
    }

    /// Takes a step's outcome. Ignores it if the step's adapter or bluetoothd is gone meanwhile.
    mutating func finished(_ step: Step, _ outcome: Outcome, now: Duration) {
        guard underWay == step else { return }
        underWay = nil
        guard let adapter else { return }
        switch (step, outcome) {
        case (.unregisterApplication, _): application = .absent
        case (.unregisterAdvertisement, _): advertising = .absent
        case (.registerApplication, .done): application = .registered
        case (.registerAdvertisement(_, let mode), .done): advertising = .registered(mode)
        case (.registerAgent, .done): hasAgent = true
        case (_, .failed(let words, let slotsTaken)):
            failure = AdapterFault.registration(adapter, step.words, words, slotsTaken: slotsTaken)
            retryAt = now + pause
            pause = min(pause * 2, Self.longestPause)
            return
        }
        if outcome == .done, !step.isUndoing { (pause, retryAt, failure) = (Self.firstPause, nil, nil) }
    }
}

extension RegistrationPlan.Step {
    var isUndoing: Bool {
        switch self {
        case .unregisterApplication, .unregisterAdvertisement: true
        default: false
        }
    }

    var words: String {
        switch self {
        case .unregisterApplication, .registerApplication: "the GATT service"
        case .unregisterAdvertisement, .registerAdvertisement: "the advertisement"
        case .registerAgent: "the pairing agent"
        }
    }
}
