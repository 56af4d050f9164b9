import EventLoop
import Glibc
import Secrets
import SecureChannel
import SiteLink
import SiteTrust
import TCP

/// Boxes that carry wrong PINs of many phones. Each box has one try under way. All requests are sealed before the clock
/// starts.
///
/// In `LoadKeys`, the keys of the phones follow those of the boxes.
actor TryLoad {
    struct Terms: Sendable {
        let port: UInt16
        let root: [UInt8]
        /// An X25519 key, 32 bytes.
        let siteKey: [UInt8]
        let boxes: Int
        /// A multiple of the number of boxes.
        let phones: Int
        let triesOfPhone: Int
        /// The counter of each phone's first request.
        let counter: UInt64
    }

    private enum Trouble: Error {
        case ended, refusedToSeal
        case otherAnswer(HeldAnswer.Outcome)
    }

    nonisolated let loop: EpollLoop
    nonisolated let terms: Terms
    private let address: TCPAddress
    private nonisolated let pool = SecretArenaPool(groups: 16)
    private var ready = 0
    private var done = 0
    private var start: Duration = .zero
    private var startProcessor = 0
    private nonisolated let change: WaitPoint

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop, _ terms: Terms) {
        guard let address = TCPAddress(host: "127.0.0.1", port: terms.port) else { preconditionFailure("an address") }
        self.loop = loop
        self.terms = terms
        self.address = address
        change = WaitPoint(on: loop)
    }

    /// Prints `tries COUNT microseconds TIME processor TIME` if all tries were refused as wrong PINs. Returns the exit
    /// status.
    func run() async -> Int32 {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<terms.boxes { group.addTask { try await self.live(index) } }
                try await group.waitForAll()
            }
        } catch {
            say("\(error)")
            return 1
        }
        let spent = (loop.now() - start).components
        let time = spent.seconds * 1_000_000 + spent.attoseconds / 1_000_000_000_000
        say("tries \(done) microseconds \(time) processor \(Self.processor() - startProcessor)")
        return 0
    }

    private func live(_ index: Int) async throws {
        let connection = try await TCPConnection.connect(to: address, by: loop.now() + .seconds(15), on: loop)
        defer { connection.close() }
        let end = SiteBoxEnd(now: loop.now(), pool: pool)
        var box = LoadBox(index, isFull: false, root: terms.root, directory: "")
        var work: [CarriedRequest] = []
        var isLinked = false
        while let bytes = try? await connection.receive(upTo: 16_384), !bytes.isEmpty {
            for event in end.receive(bytes, now: loop.now()) {
                for bytes in box.handle(event, end, now: loop.now()) ?? [] { _ = connection.send(bytes) }
                switch event {
                case .said(.head) where !isLinked:
                    isLinked = true
                    work = try sealed(index, box).reversed()
                    await meet()
                case .said(.held(let answer)):
                    guard case .pinWrong = answer.outcome else { throw Trouble.otherAnswer(answer.outcome) }
                    done += 1
                    guard !work.isEmpty else { return }
                default: continue
                }
                guard let next = work.popLast(), let bytes = end.seal(.ask(next), now: loop.now()),
                    connection.send(bytes)
                else { throw Trouble.ended }
            }
        }
        throw Trouble.ended
    }

    /// Waits until all boxes have reached this point.
    private func meet() async {
        ready += 1
        if ready == terms.boxes { (start, startProcessor) = (loop.now(), Self.processor()) }
        while ready < terms.boxes {
            let mark = change.mark()
            _ = await change.wait(since: mark)
        }
        change.signal()
    }

    /// Returns the processor time that this process has used, in microseconds.
    private static func processor() -> Int {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + $1.tv_sec * 1_000_000 + Int($1.tv_usec) }
    }

    /// Returns the requests of this box's phones: the first request of each phone, then the second, and so on.
    private func sealed(_ index: Int, _ box: LoadBox) throws -> [CarriedRequest] {
        guard let site = box.siteID else { throw Trouble.ended }
        let channel = SHA256.hash(Array("channel \(index)".utf8))
        let boxKey = LoadKeys.pair(index).publicKey
        let prologue = HeldRequest.prologue(site: site, boxKey: boxKey, channel: channel)
        let share = terms.phones / terms.boxes
        var requests: [[CarriedRequest]] = []
        for phone in index * share..<(index + 1) * share {
            let key = LoadKeys.pair(terms.boxes + phone)
            requests.append(
                try (0..<terms.triesOfPhone).map { turn in
                    let wrong = HeldSecret(SecretBytes(randomCount: HeldRequest.keyBytes))
                    let request = HeldRequest(counter: terms.counter + UInt64(turn), action: .open(pinKey: wrong))
                    guard let content = request.encoded() else { throw Trouble.refusedToSeal }
                    let sealed = try OneWayMessage<XChaChaPoly>.seal(
                        content, prologue: prologue, from: key, to: terms.siteKey)
                    guard let carried = CarriedRequest(number: UInt32(turn + 1), channel: channel, sealed: sealed)
                    else {
                        throw Trouble.refusedToSeal
                    }
                    return carried
                })
        }
        return (0..<terms.triesOfPhone).flatMap { turn in requests.map { $0[turn] } }
    }
}
