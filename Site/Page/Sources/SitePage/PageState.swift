import EventLoop
import PageCore

/// The page's state while it runs: sessions, used challenges and rate limits. None of it is on disk.
actor PageState {
    private let loop: EpollLoop
    private var sessions = Sessions()
    private var used = UsedChallenges()
    private var shares = RequestShares()

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

    /// Returns whether the visitor with that cookie, from that network, may make a request.
    func mayAsk(_ token: [UInt8]?, from network: ClientNetwork?) -> Bool {
        if let token, let isAllowed = sessions.take(token, now: exactNow) { return isAllowed }
        return shares.take(from: network, now: exactNow)
    }

    func signedIn(from network: ClientNetwork?) { shares.signedIn(from: network, now: exactNow) }

    func begin(administrator: String, credentialID: [UInt8]?) -> [UInt8]? {
        sessions.begin(administrator: administrator, credentialID: credentialID, now: now)
    }

    func session(_ token: [UInt8]) -> PageSession? { sessions.find(token, now: now) }
    func isAlive(_ token: [UInt8]) -> Bool { sessions.isAlive(token, now: now) }
    func isDueForCheck(_ token: [UInt8]) -> Bool { sessions.isDueForCheck(token, now: now) }
    func end(_ token: [UInt8]) { sessions.end(token) }
    func endAll(of administrator: String) { sessions.endAll(of: administrator) }

    /// Marks a challenge as used. Returns false if it is not valid any more.
    func claim(_ challenge: [UInt8], _ purpose: ChallengeMint.Purpose, holder: [UInt8]) -> Bool {
        challenges.isGood(challenge, purpose, holder: holder, now: now) && used.claim(challenge, now: now)
    }

    /// Opens a stream for that session, or returns nil if there is no room.
    func openStream(of token: [UInt8]) -> UInt64? { streams.begin(of: token) }
    /// Returns whether the stream and its session continue.
    func goesOn(_ stream: UInt64, of token: [UInt8]) -> Bool { streams.isOpen(stream) && isAlive(token) }
    func closeStream(_ stream: UInt64) { streams.end(stream) }

    /// Opens a download for that session.
    func openDownload(of token: [UInt8]) throws -> UInt64 {
        do throws(Downloads.Refusal) {
            return try downloads.begin(of: token, now: now)
        } catch .ownRuns {
            throw PageRefusal(status: .tooManyRequests, key: "errorDownload")
        } catch {
            throw PageRefusal(status: .serviceUnavailable, key: "errorBusy")
        }
    }

    /// Returns whether the download and its session continue.
    func goesOn(download: UInt64, of token: [UInt8]) -> Bool { downloads.isOpen(download, now: now) && isAlive(token) }
    func closeDownload(_ download: UInt64) { downloads.end(download) }

    /// Waits, and throws if the task is cancelled.
    func pause(seconds: Int) async throws {
        try await loop.sleep(until: loop.now() + .seconds(seconds))
    }
}
