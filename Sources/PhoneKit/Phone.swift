import Links
import PhoneCore
import Secrets
import Transport
import Vault
import VaultPort

/// A phone: knows the boxes it is enrolled at, finds them, and asks them for things.
///
/// Each call runs an `Errand` of PhoneCore, which decides; here the radio, the vault and the person are asked. Everything runs on
/// the executor that is given, which may be a program's only thread (one that is a `TaskExecutor` as well carries the tasks,
/// too). Every wait is bounded by `PhoneLimits`, and ends when the caller's task is cancelled. Links are made for one errand and
/// closed after it.
public actor Phone {
    let parts: PhoneParts
    private var choice = DemandChoice()
    /// The errands that watch a box.
    private var watching: [ErrandShell] = []

    public nonisolated var unownedExecutor: UnownedSerialExecutor { parts.executor.asUnownedSerialExecutor() }

    public init(
        vault: any VaultSource, radio: any CentralRadio, clock: any LinkClock, executor: any SerialExecutor,
        limits: PhoneLimits = PhoneLimits(), calendar: any VaultClock = SystemVaultClock()
    ) {
        parts = PhoneParts(
            radio: radio, vault: vault, clock: clock, limits: limits, executor: executor, calendar: calendar)
    }

    /// Runs an errand to its end; what failed is thrown.
    /// A secret in the order is let go of here: the answer may take minutes.
    func run(_ order: consuming Order, _ listener: ErrandListener) async throws(PhoneError) -> ErrandEnd {
        let isWatch = order.isWatch
        let shell = ErrandShell(consume order, parts, choice, listener)
        if isWatch { watching.append(shell) }
        let end = await shell.run()
        watching.removeAll { $0 === shell }
        // What a watch found is hours old.
        if !isWatch { choice = await shell.choice }
        if case .failed(let error) = end { throw error }
        return end
    }

    /// What one question on a channel of its own came to.
    func ask(
        _ target: BoxTarget, _ question: consuming BoxQuestion, _ listener: ErrandListener
    ) async throws(PhoneError) -> RequestAnswer {
        let boxID = target.boxID
        guard case .answered(let answer) = try await run(.request(target, consume question), listener) else {
            throw .nonsense(boxID: boxID)
        }
        return answer
    }

    /// The errand that watches one of these boxes; nil where none does.
    func watcher(of target: BoxTarget) async -> ErrandShell? {
        for shell in watching {
            if let watched = await shell.target, target.candidates.contains(where: { $0.isSame(as: watched) }) {
                return shell
            }
        }
        return nil
    }

    /// The sites that this phone is of.
    public nonisolated var sites: PhoneSites { PhoneSites(parts: parts) }

    // MARK: Boxes

    /// The boxes that this phone is enrolled at, the oldest first.
    public func boxes() async throws(PhoneError) -> [KnownBox] {
        try await inVault { (vault) throws(VaultError) in try await vault.boxes() }
    }

    /// Destroys everything that this phone keeps for a box. The box still lists the phone, until the administrator
    /// revokes it there.
    public func forget(_ box: KnownBox) async throws(PhoneError) {
        try await inVault { (vault) throws(VaultError) in try await vault.forget(box.id) }
    }

    /// What a person means by `name`; nil: the only box there is. Digits that no known box has may be a known box's new
    /// ones: who shows them is asked, and says so by a newer certificate for the pinned key, or is left alone. Six digits may be a
    /// box of this phone's site: whoever shows them is believed if the site has certified it.
    public func target(_ name: String?) async throws(PhoneError) -> BoxTarget {
        let known = try await boxes()
        let all = try await sites.all()
        let usable = all.filter { $0.stoppedUntil == nil }
        do throws(PhoneError) {
            let target = try BoxTarget.find(name, among: known)
            return name == target.boxID ? target.orBox(of: usable) : target
        } catch .unknownBox(let name) {
            return try await target(showing: name, known, usable, isStopped: usable.count < all.count)
        } catch .noBoxes where !all.isEmpty {
            guard let name else { throw .numberNeeded }
            return try await target(showing: name, known, usable, isStopped: usable.count < all.count)
        }
    }

    /// Digits that no known box has. An enrolment goes before a site, under whatever digits it was made.
    private func target(
        showing name: String, _ known: [KnownBox], _ usable: [SiteAccess], isStopped: Bool
    ) async throws(PhoneError) -> BoxTarget {
        let ofSite = BoxTarget.number(name, of: usable)
        guard Advertisement.isBoxID(name) else { throw .unknownBox(name) }
        if !known.isEmpty {
            let order = Order.find(digits: name, among: known + (ofSite?.candidates ?? []))
            if case .found(let box?) = try await run(order, ErrandListener()) { return BoxTarget(box) }
        }
        guard let ofSite else { throw isStopped ? .siteStopped : .unknownBox(name) }
        return ofSite
    }

    /// Listens for `PhoneLimits.scan`, then asks those who may be one of this phone's boxes who they are.
    public func scan() async throws(PhoneError) -> [SeenBox] {
        let ofSites = try await sites.all().filter { $0.stoppedUntil == nil }.map { $0.box("") }
        guard case .seen(let seen) = try await run(.scan(try await boxes() + ofSites), ErrandListener()) else {
            return []
        }
        return seen
    }

    /// Which of several boxes that show the same digits is meant: to know before a secret of one of them is asked for, so that
    /// it goes to no other.
    public func chosen(
        _ target: BoxTarget, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> BoxTarget {
        guard target.candidates.count > 1 else { return target }
        guard case .found(let box?) = try await run(.choose(target), ErrandListener(interaction)) else { return target }
        return BoxTarget(box)
    }

    /// Enrols this phone with a code. `label` is what the administrator's list calls it, as `LabelRules` allow.
    public func enrol(
        _ code: EnrolmentCode, label: [UInt8], _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> KnownBox {
        let waiting = try await boxes().first { !$0.confirmed && code.isFor($0) }
        let order = Order.enrol(code, label: label, waiting: waiting)
        guard case .enrolled(let box) = try await run(order, ErrandListener(interaction)) else {
            throw .enrolmentUncertain(boxID: code.boxID)
        }
        return box
    }

    /// Enrols this phone at a site with a code, through the box with that number; nil: through any box of the site. `label` is what the
    /// administrator's list calls the phone, as `LabelRules` allow.
    public func enrolAtSite(
        _ code: SiteCode, label: [UInt8], number: String?, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> SiteAccess {
        let key = try await sites.key(for: code.site)
        let order = Order.enrolAtSite(code, label: label, number: number, key: key)
        guard case .granted(let document, let grant) = try await run(order, ErrandListener(interaction)) else {
            throw .site(.enrolmentUncertain)
        }
        let offer: SiteOffer
        do throws(SiteProblem) {
            offer = try SiteOffer(
                document: document, grant: grant, of: code.site, rootKey: code.rootKey, siteKey: code.siteKey)
        } catch {
            throw .site(error)
        }
        return try await sites.keep(offer)
    }

    /// Runs one use of the vault.
    func inVault<Result: Sendable>(
        _ body: (PhoneVault) async throws(VaultError) -> Result
    ) async throws(PhoneError) -> Result {
        try await parts.inVault(body)
    }
}
