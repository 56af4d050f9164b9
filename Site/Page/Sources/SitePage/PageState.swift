import EventLoop
import PageCore

/// What the page keeps while it runs: who is signed in, which challenges were answered, how much was asked. Nothing of it is on disk.
actor PageState {
    private let loop: EpollLoop
    private var sessions = Sessions()
    private var used = UsedChallenges()
    private var requests = TokenBucket(burst: PageLimits.requestBurst, perSecond: PageLimits.requestsPerSecond)
    private var attempts = TokenBucket(burst: PageLimits.attemptBurst, perSecond: PageLimits.attemptsPerSecond)
    private var streams = LiveStreams()
    private var downloads = Downloads()

    nonisolated let challenges = ChallengeMint()
    nonisolated let forms = FormTokens()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop) {
        self.loop = loop
    }

    /// Seconds since boot.
    nonisolated var now: UInt64 { UInt64(clamping: loop.now().components.seconds) }

    private var exactNow: Double {
        let (seconds, attoseconds) = loop.now().components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    func mayAsk() -> Bool { requests.take(now: exactNow) }
    func mayAttempt() -> Bool { attempts.take(now: exactNow) }
    func attemptWasGood() { attempts.giveBack() }

    func begin(administrator: String, credentialID: [UInt8]?) -> [UInt8]? {
        sessions.begin(administrator: administrator, credentialID: credentialID, now: now)
    }

    func session(_ token: [UInt8]) -> PageSession? { sessions.find(token, now: now) }
    func isAlive(_ token: [UInt8]) -> Bool { sessions.isAlive(token, now: now) }
    func isDueForCheck(_ token: [UInt8]) -> Bool { sessions.isDueForCheck(token, now: now) }
    func end(_ token: [UInt8]) { sessions.end(token) }
    func endAll(of administrator: String) { sessions.endAll(of: administrator) }

    /// Makes a challenge used; false where it is not good any more.
    func claim(_ challenge: [UInt8], _ purpose: ChallengeMint.Purpose, holder: [UInt8]) -> Bool {
        challenges.isGood(challenge, purpose, holder: holder, now: now) && used.claim(challenge, now: now)
    }

    /// A place for a stream of that session; nil: there is none.
    func openStream(of token: [UInt8]) -> UInt64? { streams.begin(of: token) }
    /// Whether the stream goes on: its session too.
    func goesOn(_ stream: UInt64, of token: [UInt8]) -> Bool { streams.isOpen(stream) && isAlive(token) }
    func closeStream(_ stream: UInt64) { streams.end(stream) }

    /// A place for a download of that session.
    func openDownload(of token: [UInt8]) throws -> UInt64 {
        do throws(Downloads.Refusal) {
            return try downloads.begin(of: token, now: now)
        } catch .ownRuns {
            throw PageRefusal(status: .tooManyRequests, key: "errorDownload")
        } catch {
            throw PageRefusal(status: .serviceUnavailable, key: "errorBusy")
        }
    }

    /// Whether the download goes on: its session too.
    func goesOn(download: UInt64, of token: [UInt8]) -> Bool { downloads.isOpen(download, now: now) && isAlive(token) }
    func closeDownload(_ download: UInt64) { downloads.end(download) }

    /// Waits, unless the task is cancelled.
    func pause(seconds: Int) async throws {
        try await loop.sleep(until: loop.now() + .seconds(seconds))
    }
}
