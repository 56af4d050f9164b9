import Links
import PhoneCore
import PhoneMessages
import Transport
import Vault
import VaultPort

/// What an errand needs of the phone that runs it.
struct PhoneParts: Sendable {
    let radio: any CentralRadio
    let vault: any VaultSource
    let clock: any LinkClock
    let limits: PhoneLimits
    let executor: any SerialExecutor
    let calendar: any VaultClock

    /// The calendar's time, in seconds since 1970.
    var unixSeconds: UInt64 { UInt64(clamping: calendar.unixSeconds) }

    /// Runs one use of the vault.
    func inVault<Result: Sendable>(
        _ body: (PhoneVault) async throws(VaultError) -> Result
    ) async throws(PhoneError) -> Result {
        do throws(VaultError) {
            return try await body(try await vault.vault())
        } catch {
            throw .vault(error)
        }
    }

    /// Starts something beside; on the executor, where that can carry tasks.
    @discardableResult
    func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor as? any TaskExecutor) { await body() }
    }
}

/// Runs one errand: performs its actions, and tells it what happens. It decides nothing.
///
/// `feed` and `perform` do not wait. Tasks wait, for the radio, the vault and the person; what comes of it is an event. The shell
/// is done when all of them are.
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

    /// It reports its signal, where the box wants it, hands on offers, warnings and ends of sessions, and lets a person answer
    /// requests to elevate.
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
    /// The box that taps are for, once it is known which is watched.
    var target: KnownBox? { errand.watchedTarget }

    /// Runs it to its end. Cancellation of the caller's task is the person's giving up.
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

    /// Queues a tap, if the channel to this box still stands: what the person sees is what they answered.
    func tap(_ tap: WatchTap, whileWatching box: KnownBox) -> Bool {
        guard errand.watched?.box.isSame(as: box) == true else { return false }
        feed(.tap(tap))
        return true
    }

    /// What opens the credential that the site of the watched box holds, by the PIN that is asked for; nil: nobody gives one.
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
        case .askAgain(let box, let time):
            let sendAgain = listener.interaction.sendAgain
            start(isPrompt: true) { await self.feed(.again(sendAgain(box, time))) }
        case .show(let progress): tell(.progress(progress))
        case .watched(let event): tell(.watch(event))
        case .sample(let dBm): tell(.sample(dBm))
        case .roundTrip(let duration): listener.roundTrip?(duration)
        case .finished(let end):
            waiter.take()?.resume(returning: end)
            running.endPrompts()
        }
    }

    /// Starts something that the shell waits for at its end.
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

    // MARK: Telling

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

    /// Comes back when the listener has heard enough of what was.
    func untilHeard() async {
        if audience.isFull { await teller?.value }
    }

    // MARK: Time

    /// One task sleeps until the deadline; it is replaced only when an earlier one appears.
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
