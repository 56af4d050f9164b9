import Links
import PhoneMessages
import Secrets
import VaultPort

@testable import PhoneCore

/// An operation whose requests to the world wait until a test answers them, without tasks and a clock.
final class ErrandRig {
    /// A request that the operation waits for.
    enum Pending {
        case scan(OperationNumber)
        case connect(OperationNumber, address: String)
        case identify(OperationNumber)
        case open(OperationNumber)
        case measure(OperationNumber)
        case vault(OperationNumber, PhoneVaultCommand)
        case pin
        case choose([KnownBox])
        case again
    }

    let errand: Errand
    let boxes: [ModelBox]
    private(set) var now = Duration.seconds(1_000)
    var pending: [Pending] = []
    private(set) var link: (number: OperationNumber, end: BoxEnd, isOpen: Bool)?
    private(set) var end: ErrandEnd?
    /// The histories of the stored passwords, by the rows' ids.
    var histories: [[UInt8]: PasswordHistory] = [:]
    /// The user's answer to whether to send a doubtful password again.
    var sendsAgain = true
    private(set) var vaultCommands: [PhoneVaultCommand] = []
    private(set) var shown: [WatchEvent] = []
    private(set) var progress: [PhoneProgress] = []
    /// How often the user was asked which box is meant.
    private(set) var choices = 0
    /// The number of actions after the end.
    private(set) var actionsAfterEnd = 0
    /// Segments that the radio was given and has not sent.
    private(set) var unwritten: [[UInt8]] = []
    private(set) var mostUnwritten = 0
    /// The phone's key for its site, or nil without a site.
    var siteKey: HeldSecret?
    /// The counter of the last request that was sealed for the site.
    private(set) var counter: UInt64 = 0
    static let deviceSecret = hash(3)

    static func hash(_ fill: UInt8) -> HeldSecret {
        HeldSecret(SecretBytes(copying: [UInt8](repeating: fill, count: 32)))
    }

    /// The number of segments that the phone gave to the radio.
    private(set) var written = 0

    init(_ order: Order, _ boxes: [ModelBox]) {
        self.boxes = boxes
        errand = Errand(
            order, as: [.presence, .logoutWarnings, .elevation, .sessionEnds],
            sites: SiteDesk(unixSeconds: TestSite.now, at: now, credentials: SiteCredentials()), now: now)
        feed(.time)
    }

    func feed(_ event: PhoneEvent) {
        let wasOver = end != nil
        for action in errand.handle(event, at: now) {
            if wasOver { actionsAfterEnd += 1 }
            perform(action)
        }
    }

    private func perform(_ action: PhoneAction) {
        switch action {
        case .scan(let number, _): pending.append(.scan(number))
        case .connect(let number, let address): pending.append(.connect(number, address: address))
        case .identify(let number): pending.append(.identify(number))
        case .open(let number, _): pending.append(.open(number))
        case .measure(let number): pending.append(.measure(number))
        // No step waits for this answer.
        case .vault(_, .noteAddress): break
        case .vault(let number, let command):
            vaultCommands.append(command)
            pending.append(.vault(number, command))
        case .askPIN: pending.append(.pin)
        case .choose(let boxes):
            choices += 1
            pending.append(.choose(boxes))
        case .askAgain: pending.append(.again)
        case .write(_, let segment):
            written += 1
            unwritten.append(segment)
            mostUnwritten = max(mostUnwritten, unwritten.count)
        case .disconnect:
            // The link still delivers the segments from before the disconnect.
            for segment in unwritten { link?.end.receive(segment, now: now) }
            (link, unwritten) = (nil, [])
        case .watched(let event): shown.append(event)
        case .finished(let end): self.end = end
        case .show(let what): progress.append(what)
        case .stopScan, .roundTrip, .sample: break
        }
    }

    // MARK: What may happen

    /// Advances the time, and informs the operation.
    func wait(_ duration: Duration) {
        now += duration
        feed(.time)
    }

    /// Advances the time to the next deadline. Returns false if there is none.
    func waitForDeadline() -> Bool {
        guard let due = errand.deadline else { return false }
        now = max(now, due)
        feed(.time)
        return true
    }

    /// Delivers the oldest unsent segment to the box.
    func write() {
        guard !unwritten.isEmpty, let link else { return }
        let segment = unwritten.removeFirst()
        link.end.receive(segment, now: now)
        feed(.written(link.number))
    }

    /// Brings the box's segments to the phone. `reversed` gives an order that no radio should produce.
    func read(reversed: Bool = false) {
        guard let link else { return }
        let segments = link.end.takeSegments()
        for segment in reversed ? segments.reversed() : segments { feed(.segment(link.number, segment)) }
        if link.end.isClosed { cut() }
    }

    func cut(_ error: LinkError = .closed) {
        guard let number = link?.number else { return }
        (link, unwritten) = (nil, [])
        feed(.linkDown(number, error))
    }

    func sayGoodbye() {
        link?.end.sayGoodbye(now: now)
    }

    func push(_ message: BoxMessage) {
        link?.end.say(message, now: now)
    }

    /// Answers one request of the operation as a well-behaved world does.
    func answer(_ index: Int = 0) {
        guard pending.indices.contains(index) else { return }
        switch pending.remove(at: index) {
        case .scan(let number):
            for (index, box) in boxes.enumerated() {
                let name = Array(Advertisement.name(boxID: box.row.digits).utf8)
                feed(.heard(number, Advertisement(name: name, address: String(index), rssi: -50)))
            }
            feed(.scanOver(number, nil))
        case .connect(let number, let address):
            guard let index = Int(address), boxes.indices.contains(index) else {
                return feed(.linkDown(number, .notFound))
            }
            link = (number, BoxEnd(boxes[index]), false)
            unwritten = []
            feed(.linked(number))
        case .identify(let number):
            guard let box = box(of: number), let identity = try? box.identity else { return }
            feed(.identity(number, identity))
        case .open(let number):
            guard box(of: number) != nil else { return }
            feed(
                .opened(
                    number,
                    Carrier(
                        name: "model", binding: ModelBox.binding,
                        limits: SegmentLimits(sentBytes: 100, receivedBytes: 100), carries: .little)))
        case .measure(let number): feed(.signal(number, dBm: -60))
        case .vault(let number, let command): feed(.vault(number, answer(to: command)))
        case .pin: feed(.pin(HeldSecret(SecretBytes(copying: Array("4711".utf8)))))
        case .choose(let boxes): feed(.chosen(boxes.first?.id))
        case .again: feed(.again(sendsAgain))
        }
    }

    /// Answers each request to the vault with a failure.
    func failVault() {
        while let index = pending.firstIndex(where: { if case .vault = $0 { true } else { false } }) {
            guard case .vault(let number, _) = pending.remove(at: index) else { return }
            feed(.vault(number, .failed(.diskFull)))
        }
    }

    private func box(of number: OperationNumber) -> ModelBox? {
        guard let link, link.number == number else { return nil }
        return link.end.box
    }

    private func answer(to command: PhoneVaultCommand) -> PhoneVaultAnswer {
        func known(_ id: [UInt8]) -> ModelBox? { boxes.first { $0.row.id == id } }
        switch command {
        case .box(let id), .raiseSerial(let id, _, _), .setLabel(_, let id), .confirmEnrolment(let id, _, _):
            return .box(known(id)?.row)
        case .deviceKey(let id): return .secret(known(id)?.deviceKey ?? siteKey)
        case .deviceSecret(let id): return .secret(known(id)?.deviceSecret)
        case .renewDeviceSecret: return .secret(HeldSecret(SecretBytes(randomCount: 32)))
        case .destroyDeviceSecret(let id):
            known(id)?.deviceSecret = nil
            return .done
        case .unlockSite(_, _, let pin, let newPIN):
            guard let siteKey else { return .failed(.notFound(what: "site")) }
            counter += 1
            return .siteUnlocked(
                SiteUnlocking(
                    counter: counter, phoneKey: siteKey, deviceSecret: Self.deviceSecret,
                    pinHash: pin.map { _ in Self.hash(1) }, newPINHash: newPIN.map { _ in Self.hash(2) }))
        case .siteKey:
            guard let siteKey else { return .failed(.diskFull) }
            return .siteKey([1], siteKey)
        case .forget, .noteAddress, .keepSite, .noteSiteBox, .keepSiteGrant, .keepSiteNews, .stopSite: return .done
        case .passwordHistory(let id): return .passwordHistory(histories[id] ?? PasswordHistory())
        case .notePassword(let id, let note):
            histories[id] = (histories[id] ?? PasswordHistory()).after(note, at: 1_795_788_120)
            return .done
        case .beginEnrolment: return .failed(.diskFull)
        case .openCredential:
            return .credential(.opened(HeldSecret(SecretBytes(copying: Array("password".utf8)))), triesLeft: nil)
        }
    }

    /// Runs everything in order until the operation ends or `isDone`. Returns false after too many steps.
    @discardableResult
    func run(until isDone: () -> Bool = { false }) -> Bool {
        for _ in 0..<5_000 {
            if end != nil || isDone() { return true }
            if !unwritten.isEmpty {
                write()
            } else if link?.end.hasSegments == true || link?.end.isClosed == true {
                read()
            } else if !pending.isEmpty {
                answer()
            } else if !waitForDeadline() {
                return false
            }
        }
        return false
    }
}
