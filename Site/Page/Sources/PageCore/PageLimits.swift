/// The page's bounds, in bytes and seconds unless the name says otherwise.
public enum PageLimits {
    // MARK: HTTP

    /// Open connections; more wait in the kernel's queue.
    public static let connections = 256
    /// All header fields of a request.
    public static let headerBytes = 16_384
    public static let headerFields = 64
    /// A form as sent.
    public static let formBytes = 16_384
    /// Each row of a list may have a field.
    public static let formFields = rowsPerPage + 14
    public static let formNameBytes = 32
    public static let formValueBytes = 8_192
    /// From the start of a connection, or the end of an answer, to the end of the next request.
    public static let requestSeconds = 20
    /// From the end of a request to the end of its answer.
    public static let answerSeconds = 60
    /// Requests of all visitors together who are not signed in: a burst, and a rate. Each may cost a request to boxsited.
    public static let requestBurst = 400.0
    public static let requestsPerSecond = 100.0
    /// Requests of one session, and of one network's visitors.
    public static let visitorBurst = 200.0
    public static let visitorRequestsPerSecond = 20.0
    /// Networks whose requests are counted, and networks where an administrator has signed in.
    public static let networks = 4_096
    public static let knownNetworks = 1_024

    // MARK: Live parts

    public static let streams = 64
    public static let streamsPerSession = 4
    /// A stream ends after this time, and the browser opens a new one.
    public static let streamSeconds = 600
    /// Between two checks for changes in a stream.
    public static let streamLookSeconds = 2

    // MARK: Downloads

    /// Downloads at once; each session may have one.
    public static let downloads = 8
    /// The limit for a download at any speed.
    public static let downloadSeconds = 600

    // MARK: Sessions

    public static let sessions = 512
    /// A new session replaces the oldest one.
    public static let sessionsPerAdministrator = 8
    public static let sessionIdleSeconds: UInt64 = 900
    public static let sessionSeconds: UInt64 = 28_800
    /// Between two checks whether a session's passkey is still valid.
    public static let sessionCheckSeconds: UInt64 = 30

    // MARK: Passkeys

    /// From a page with a challenge to its answer.
    public static let challengeSeconds: UInt64 = 180
    /// Answered challenges that have not expired yet.
    public static let usedChallenges = 1_024
    /// WebAuthn Level 2 section 4: a credential id has at most 1,023 bytes.
    public static let credentialIDBytes = 1_023
    public static let clientDataBytes = 2_048
    public static let attestationBytes = 4_096
    public static let authenticatorDataBytes = 1_024
    /// A signature of ES256 in DER.
    public static let signatureBytes = 80

    // MARK: boxsited

    /// Requests to boxsited at once, and requests that wait for a place.
    public static let conversations = 8
    public static let waitingConversations = 64
    public static let conversationSeconds = 15

    // MARK: Lists

    public static let rowsPerPage = 50

    // MARK: Bulk codes, as in boxsited

    public static let bulkPlaces: UInt64 = 1_000
    public static let bulkDays: UInt64 = 90
    /// A text to search for.
    public static let searchBytes = 128
}
