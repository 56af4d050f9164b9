/// Bounds of what the page takes, keeps and waits for. Bytes and seconds where the name does not say otherwise.
public enum PageLimits {
    // MARK: HTTP

    /// Connections open at once; more wait in the kernel's queue.
    public static let connections = 256
    /// All header fields of a request.
    public static let headerBytes = 16_384
    public static let headerFields = 64
    /// A form as it is sent.
    public static let formBytes = 16_384
    /// Each row of a list may have one.
    public static let formFields = rowsPerPage + 14
    public static let formNameBytes = 32
    public static let formValueBytes = 8_192
    /// From a connection's beginning, or the end of an answer, to the end of the next request.
    public static let requestSeconds = 20
    /// From a request's end to the end of its answer.
    public static let answerSeconds = 60
    /// Requests of everybody together: so many at once, and so many each second.
    public static let requestBurst = 400.0
    public static let requestsPerSecond = 100.0
    /// Attempts of everybody together to sign in, or to use a one-time code, that come to nothing: each is a question to boxsited.
    public static let attemptBurst = 50.0
    public static let attemptsPerSecond = 5.0

    // MARK: Live parts

    public static let streams = 64
    public static let streamsPerSession = 4
    /// A stream ends then, and the browser asks anew.
    public static let streamSeconds = 600
    /// Between two looks at what a stream tells of.
    public static let streamLookSeconds = 2

    // MARK: Downloads

    /// At once; each session has one.
    public static let downloads = 8
    /// However slowly somebody reads.
    public static let downloadSeconds = 600

    // MARK: Sessions

    public static let sessions = 512
    /// The oldest one makes room.
    public static let sessionsPerAdministrator = 8
    public static let sessionIdleSeconds: UInt64 = 900
    public static let sessionSeconds: UInt64 = 28_800
    /// Between two questions whether the passkey of a session still is one.
    public static let sessionCheckSeconds: UInt64 = 30

    // MARK: Passkeys

    /// From a page with a challenge to its answer.
    public static let challengeSeconds: UInt64 = 180
    /// Challenges that were answered and would still be good.
    public static let usedChallenges = 1_024
    /// WebAuthn Level 2 section 4: a credential id has at most 1,023 bytes.
    public static let credentialIDBytes = 1_023
    public static let clientDataBytes = 2_048
    public static let attestationBytes = 4_096
    public static let authenticatorDataBytes = 1_024
    /// A signature of ES256 in DER.
    public static let signatureBytes = 80

    // MARK: boxsited

    /// Requests to it at once, and those that wait for a place.
    public static let conversations = 8
    public static let waitingConversations = 64
    public static let conversationSeconds = 15

    // MARK: Lists

    public static let rowsPerPage = 50

    // MARK: Bulk codes, as boxsited has them

    public static let bulkPlaces: UInt64 = 1_000
    public static let bulkDays: UInt64 = 90
    /// What is searched for.
    public static let searchBytes = 128
}
