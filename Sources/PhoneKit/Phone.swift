import Links
import PhoneCore
import Secrets
import Transport
import Vault
import VaultPort

/// A phone: knows the boxes at which it is enrolled, finds boxes, and sends requests.
///
/// Each call runs an `Errand` of PhoneCore, which decides. This actor asks the radio, the vault and the user.
/// Everything runs on the given executor, which may be a program's only thread. An executor that is a `TaskExecutor`
/// runs the tasks, too. `PhoneLimits` bounds every wait, and cancelling the caller's task ends the wait. A link serves
/// one operation and is then closed.
public actor Phone {
    let parts: PhoneParts
    private var choice = DemandChoice()
    /// The operations that watch a box.
    private var watching: [ErrandShell] = []

    public nonisolated var unownedExecutor: UnownedSerialExecutor { parts.executor.asUnownedSerialExecutor() }

    public init(
        vault: any VaultSource, radio: any CentralRadio, clock: any LinkClock, executor: any SerialExecutor,
        limits: PhoneLimits = PhoneLimits(), calendar: any VaultClock = SystemVaultClock()
    ) {
        parts = PhoneParts(
            radio: radio, vault: vault, clock: clock, limits: limits, executor: executor, calendar: calendar)
    }

    /// Runs an operation to its end, and throws its error.
    /// Releases a secret in the order at once, because the answer may take minutes.
    func run(_ order: consuming Order, _ listener: ErrandListener) async throws(PhoneError) -> ErrandEnd {
        let isWatch = order.isWatch
        let shell = ErrandShell(consume order, parts, choice, listener)
        if isWatch { watching.append(shell) }
        let end = await shell.run()
        watching.removeAll { $0 === shell }
        // A watch's experience with its carriers may be hours old, so do not keep it.
        if !isWatch { choice = await shell.choice }
        if case .failed(let error) = end { throw error }
        return end
    }

    /// Asks one question on a separate channel, and returns the answer.
    func ask(
        _ target: BoxTarget, _ question: consuming BoxQuestion, _ listener: ErrandListener
    ) async throws(PhoneError) -> RequestAnswer {
        let boxID = target.boxID
        guard case .answered(let answer) = try await run(.request(target, consume question), listener) else {
            throw .nonsense(boxID: boxID)
        }
        return answer
    }

    /// Returns the operation that watches a box of `target`, or nil.
    func watcher(of target: BoxTarget) async -> ErrandShell? {
        for shell in watching {
            if let watched = await shell.target, target.candidates.contains(where: { $0.isSame(as: watched) }) {
                return shell
            }
        }
        return nil
    }

    /// The sites that this phone belongs to.
    public nonisolated var sites: PhoneSites { PhoneSites(parts: parts) }

    // MARK: Boxes

    /// The boxes at which this phone is enrolled, the oldest first.
    public func boxes() async throws(PhoneError) -> [KnownBox] {
        try await inVault { (vault) throws(VaultError) in try await vault.boxes() }
    }

    /// Destroys all data that this phone keeps for a box. The box lists the phone until an administrator revokes it.
    public func forget(_ box: KnownBox) async throws(PhoneError) {
        try await inVault { (vault) throws(VaultError) in try await vault.forget(box.id) }
    }

    /// Finds the box that `name` means; nil means the only box. Unknown digits may be a known box's new digits, which
    /// the box must prove by a newer certificate for its pinned key. Six digits may also be those of a box of this
    /// phone's site, which must have a certificate of the site.
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

    /// Resolves digits that no known box has. Prefers an enrolled box with new digits to a box of a site.
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

    /// Listens for `PhoneLimits.scan`, then asks the boxes that may be this phone's for their identity.
    public func scan() async throws(PhoneError) -> [SeenBox] {
        let ofSites = try await sites.all().filter { $0.stoppedUntil == nil }.map { $0.box("") }
        guard case .seen(let seen) = try await run(.scan(try await boxes() + ofSites), ErrandListener()) else {
            return []
        }
        return seen
    }

    /// Chooses between boxes that show the same digits. Call this before you ask for a secret, so that only the right
    /// box gets the secret.
    public func chosen(
        _ target: BoxTarget, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> BoxTarget {
        guard target.candidates.count > 1 else { return target }
        guard case .found(let box?) = try await run(.choose(target), ErrandListener(interaction)) else { return target }
        return BoxTarget(box)
    }

    /// Enrols this phone with a code. `label` is the phone's name in the administrator's list, as `LabelRules` allow.
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

    /// Enrols this phone at a site with a code, through the box with this number, or any box if the number is nil.
    /// `label` is the phone's name in the administrator's list, as `LabelRules` allow.
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

    /// Runs `body` with the vault.
    func inVault<Result: Sendable>(
        _ body: (PhoneVault) async throws(VaultError) -> Result
    ) async throws(PhoneError) -> Result {
        try await parts.inVault(body)
    }
}
