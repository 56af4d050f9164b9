import PhoneCore
import PhoneMessages
import Secrets

/// The operations of one host, by handle. A handle includes the generation of its place, so that no handle is reused.
final class ErrandTable {
    /// The most operations that run at once. A host has one, and a second one while it watches a box.
    static let errandsLimit = 8
    /// The abilities that a host may declare. Box-held credentials are not included: the enrolment decides on them.
    private static let possible: Capabilities = [.presence, .elevation, .logoutWarnings, .sessionEnds, .browser]
    private static let generations: Int32 = 1 << 24

    private struct Place {
        var generation: Int32 = 0
        var errand: Errand?
        /// Actions that the host has not fetched yet, in order.
        var actions: [PhoneAction] = []
    }

    /// The host's abilities, which hello tells to boxes.
    private var capabilities: Capabilities = []
    private var places = [Place](repeating: Place(), count: errandsLimit)
    /// The latest time that the host has reported. A host's clock may step back, but an operation's time may not.
    private var now = Duration.zero
    private var writer = HostWriter()

    /// Sets the host's abilities for the orders that start from now on.
    func setCapabilities(_ bits: UInt32) throws(HostError) {
        let capabilities = Capabilities(rawValue: bits)
        guard Self.possible.isSuperset(of: capabilities) else { throw .unintelligible }
        self.capabilities = capabilities
    }

    /// Starts an order and returns its handle, above 0.
    func start(_ order: HostOrder, at microseconds: Int64) throws(HostError) -> Int32 {
        guard let index = places.firstIndex(where: { $0.errand == nil }) else { throw .tooManyErrands }
        try move(to: microseconds)
        let desk = order.unixSeconds.map { SiteDesk(unixSeconds: $0, at: now) }
        // A host's row has no address, so the phone would listen for a second box each time.
        var limits = PhoneLimits()
        limits.company = .zero
        let errand = Errand(order.order, as: capabilities, limits: limits, sites: desk, now: now)
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

    /// Writes the next action and returns its length in bytes, or 0 if there is none.
    func nextAction(of handle: Int32) throws(HostError) -> Int {
        let index = try index(handle)
        writer.clear()
        guard !places[index].actions.isEmpty else { return 0 }
        places[index].actions.removeFirst().write(&writer)
        guard let count = writer.count else { throw .tooLarge }
        return count
    }

    /// Passes `body` the bytes that `nextAction` wrote.
    func withWritten<Result>(_ body: (RawSpan) -> Result) -> Result { writer.withBytes(body) }

    /// Returns when `time` is next due, in microseconds, or -1 if it is never due.
    func deadline(of handle: Int32) throws(HostError) -> Int64 {
        guard let due = places[try index(handle)].errand?.deadline else { return -1 }
        return max(0, due.microseconds)
    }

    /// Ends an operation in any state and wipes its secrets.
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
