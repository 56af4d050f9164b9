import Links
import PhoneCore
import PhoneMessages
import Transport
import Vault
import VaultPort

/// The phone's resources for an operation.
struct PhoneParts: Sendable {
    let radio: any CentralRadio
    let vault: any VaultSource
    let clock: any LinkClock
    let limits: PhoneLimits
    let executor: any SerialExecutor
    let calendar: any VaultClock

    /// Calendar time, in seconds since 1970.
    var unixSeconds: UInt64 { UInt64(clamping: calendar.unixSeconds) }

    /// Runs `body` with the vault.
    func inVault<Result: Sendable>(
        _ body: (PhoneVault) async throws(VaultError) -> Result
    ) async throws(PhoneError) -> Result {
        do throws(VaultError) {
            return try await body(try await vault.vault())
        } catch {
            throw .vault(error)
        }
    }

    /// Starts a concurrent task, on `executor` if it can run tasks.
    @discardableResult
    func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor as? any TaskExecutor) { await body() }
    }
}

/// Runs one operation: performs its actions, and reports their results to it. The shell decides nothing.
///
/// `feed` and `perform` never wait. Tasks wait for the radio, the vault and the user, and their results become events.
/// The shell is done when all tasks are done.
actor ErrandShell {
    let parts: PhoneParts
    let listener: ErrandListener
    private var errand: Errand
    private var events: [PhoneEvent] = []
    private var isHandling = false
    private var timer: (due: Duration, task: Task<Void, Never>)?
    private var running = RunningTasks()
    private var waiter: CheckedContinuation<ErrandEnd, Never>?
    private var audience = Audience()
    private var teller: Task<Void, Never>?
    var hand = RadioHand()

    nonisolated var unownedExecutor: UnownedSerialExecutor { parts.executor.asUnownedSerialExecutor() }

    /// The phone reports its signal to a box that wants it. It shows offers, warnings and ends of sessions, and lets
    /// the user answer elevation requests.
    static let capabilities: Capabilities = [.presence, .logoutWarnings, .elevation, .sessionEnds]

    init(_ order: Order, _ parts: PhoneParts, _ choice: DemandChoice, _ listener: ErrandListener) {
        self.parts = parts
        self.listener = listener
        let now = parts.clock.now()
        let desk = SiteDesk(unixSeconds: parts.unixSeconds, at: now, credentials: SiteCredentials())
        errand = Errand(order, as: Self.capabilities, limits: parts.limits, choice: choice, sites: desk, now: now)
    }

    var choice: DemandChoice { errand.choice }
    var watched: WatchedBox? { errand.watched }
    /// The box that taps go to, once one of several is chosen.
    var target: KnownBox? { errand.watchedTarget }

    /// Runs the operation to its end. Cancelling the caller's task cancels the operation.
    func run() async -> ErrandEnd {
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter = continuation
                feed(.time)
                if Task.isCancelled { giveUp() }
            }
        } onCancel: {
            parts.start { await self.giveUp() }
        }
        timer?.task.cancel()
        hand.scan?.task.cancel()
        while let task = running.first { await task.value }
        return end
    }

    private func giveUp() {
        guard waiter != nil else { return }
        feed(.cancel)
        running.endPrompts()
    }

    /// Queues a tap if the channel to this box is still open, so that the tap answers what the screen shows.
    func tap(_ tap: WatchTap, whileWatching box: KnownBox) -> Bool {
        guard errand.watched?.box.isSame(as: box) == true else { return false }
        feed(.tap(tap))
        return true
    }

    /// Returns the sealed request for the watched box's site-held credential, or nil if `unlock` gives no PIN.
    func sealed(at boxID: String, _ unlock: any VaultUnlock) async throws(PhoneError) -> [UInt8]? {
        let request = UnlockRequest(
            purpose: .boxCredential(boxID: boxID), triesLeft: errand.watched?.triesLeft, isRepeated: false)
        guard let pin = await unlock.pin(for: request) else { return nil }
        let question = BoxQuestion.loginWithPIN(pin)
        guard let command = errand.unlocking(question) else { throw .site(.noSiteKey) }
        switch await parts.vault.answer(command) {
        case .siteUnlocked(let unlocking):
            guard let sealed = errand.seal(question, unlocking) else { throw .linkLost(boxID: boxID) }
            return sealed
        case .failed(let error): throw .vault(error)
        default: throw .site(.noSiteKey)
        }
    }

    func feed(_ event: PhoneEvent) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !events.isEmpty {
            for action in errand.handle(events.removeFirst(), at: parts.clock.now()) { perform(action) }
        }
        isHandling = false
        arm()
    }

    private func perform(_ action: PhoneAction) {
        switch action {
        case .scan, .stopScan, .connect, .identify, .open, .write, .disconnect, .measure: performOnRadio(action)
        case .vault(let number, let command):
            let vault = parts.vault
            start(isPrompt: command.isTry) { await self.feed(.vault(number, vault.answer(command))) }
        case .askPIN(let request):
            let unlock = listener.unlock
            start(isPrompt: true) { await self.feed(.pin(unlock?.pin(for: request))) }
        case .choose(let boxes):
            let choose = listener.interaction.chooseBox
            start(isPrompt: true) { await self.feed(.chosen(choose(boxes)?.id)) }
        case .askAgain(let box, let doubt):
            let sendAgain = listener.interaction.sendAgain
            start(isPrompt: true) { await self.feed(.again(sendAgain(box, doubt))) }
        case .show(let progress): tell(.progress(progress))
        case .watched(let event): tell(.watch(event))
        case .sample(let dBm): tell(.sample(dBm))
        case .roundTrip(let duration): listener.roundTrip?(duration)
        case .finished(let end):
            waiter.take()?.resume(returning: end)
            running.endPrompts()
        }
    }

    /// Starts a task that `run` awaits before it returns.
    @discardableResult
    func start(
        isPrompt: Bool = false, _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let number = running.nextNumber()
        let task = parts.start {
            await body()
            await self.ended(number)
        }
        running.add(task, number, isPrompt: isPrompt)
        return task
    }

    private func ended(_ number: UInt64) {
        running.remove(number)
    }

    // MARK: Reporting

    private func tell(_ telling: Audience.Telling) {
        guard teller != nil || !telling.tellAtOnce(listener) else { return }
        audience.add(telling)
        guard teller == nil else { return }
        teller = start { await self.tellAll() }
    }

    private func tellAll() async {
        while let telling = audience.next() {
            if await telling.tell(listener) { continue }
            audience.leave()
            feed(.stop)
        }
        teller = nil
    }

    /// Waits while the listener's queue is full.
    func untilHeard() async {
        if audience.isFull { await teller?.value }
    }

    // MARK: Time

    /// Starts one task that sleeps until the deadline. Only an earlier deadline replaces the task.
    private func arm() {
        guard waiter != nil, let due = errand.deadline else { return }
        if let timer, timer.due <= due { return }
        timer?.task.cancel()
        let clock = parts.clock
        let task = parts.start {
            guard (try? await clock.sleep(until: due)) != nil else { return }
            await self.timeHasCome(due)
        }
        timer = (due, task)
    }

    private func timeHasCome(_ due: Duration) {
        guard timer?.due == due else { return }
        timer = nil
        feed(.time)
    }
}
