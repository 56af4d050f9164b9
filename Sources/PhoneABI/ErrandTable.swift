import PhoneCore
import PhoneMessages
import Secrets

/// The errands of one host, by handle. A handle counts its place's generations: one that was ended names nothing any more.
final class ErrandTable {
    /// Errands at work at once. A host has one, and another while it watches a box.
    static let errandsLimit = 8
    /// What a host may say of itself; whether a box holds the password is the enrolment's.
    private static let possible: Capabilities = [.presence, .elevation, .logoutWarnings, .sessionEnds, .browser]
    private static let generations: Int32 = 1 << 24

    private struct Place {
        var generation: Int32 = 0
        var errand: Errand?
        /// Not taken yet, in their order.
        var actions: [PhoneAction] = []
    }

    /// What the host can do, as boxes are told.
    private var capabilities: Capabilities = []
    private var places = [Place](repeating: Place(), count: errandsLimit)
    /// The latest time that a host has told: clocks may step back, an errand's may not.
    private var now = Duration.zero
    private var writer = HostWriter()

    /// What the host can do; it counts for the orders that are started from now on.
    func setCapabilities(_ bits: UInt32) throws(HostError) {
        let capabilities = Capabilities(rawValue: bits)
        guard Self.possible.isSuperset(of: capabilities) else { throw .unintelligible }
        self.capabilities = capabilities
    }

    /// A handle above 0.
    func start(_ order: HostOrder, at microseconds: Int64) throws(HostError) -> Int32 {
        guard let index = places.firstIndex(where: { $0.errand == nil }) else { throw .tooManyErrands }
        try move(to: microseconds)
        let desk = order.unixSeconds.map { SiteDesk(unixSeconds: $0, at: now) }
        let errand = Errand(order.order, as: capabilities, sites: desk, now: now)
        places[index].generation = (places[index].generation + 1) % Self.generations
        places[index].actions = errand.handle(.time, at: now)
        places[index].errand = errand
        return handle(index)
    }

    func handle(_ event: PhoneEvent, for handle: Int32, at microseconds: Int64) throws(HostError) {
        let index = try index(handle)
        try move(to: microseconds)
        guard let errand = places[index].errand else { throw .noSuchErrand }
        places[index].actions += errand.handle(event, at: now)
    }

    /// Writes the next action, and says how many bytes it has; 0: there is none.
    func nextAction(of handle: Int32) throws(HostError) -> Int {
        let index = try index(handle)
        writer.clear()
        guard !places[index].actions.isEmpty else { return 0 }
        places[index].actions.removeFirst().write(&writer)
        guard let count = writer.count else { throw .tooLarge }
        return count
    }

    /// What `nextAction` wrote.
    func withWritten<Result>(_ body: (RawSpan) -> Result) -> Result { writer.withBytes(body) }

    /// When `time` is next due, in microseconds; -1: nothing is.
    func deadline(of handle: Int32) throws(HostError) -> Int64 {
        guard let due = places[try index(handle)].errand?.deadline else { return -1 }
        return max(0, due.microseconds)
    }

    /// Ends an errand, whatever it is at: its secrets are wiped.
    func end(_ handle: Int32) throws(HostError) {
        let index = try index(handle)
        places[index].errand = nil
        places[index].actions = []
        writer.clear()
    }

    private func move(to microseconds: Int64) throws(HostError) {
        guard (0...HostLimits.latestMicroseconds).contains(microseconds) else { throw .noTime }
        now = max(now, .microseconds(microseconds))
    }

    private func handle(_ index: Int) -> Int32 {
        places[index].generation * Int32(Self.errandsLimit) + Int32(index) + 1
    }

    private func index(_ handle: Int32) throws(HostError) -> Int {
        guard handle > 0 else { throw .noSuchErrand }
        let index = Int(handle - 1) % Self.errandsLimit
        guard places[index].errand != nil, self.handle(index) == handle else { throw .noSuchErrand }
        return index
    }
}
