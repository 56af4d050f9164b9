import PhoneMessages

/// The conversation on one channel: numbers requests, opens with hello, and sorts the replies.
///
/// Pure. The first request goes out right after hello, without waiting for the answer.
struct ChannelConversation: Sendable {
    /// The protocol versions that this phone speaks.
    static let versions: [UInt8] = [MessageLimits.protocolVersion]
    /// The most ends of sessions kept for a watcher. A phone has few sessions, and a box cannot flood the phone.
    private static let endLimit = 8
    /// The most news messages in one answer: a document, a signed status, and five messages of entries.
    private static let newsLimit = 7

    /// The meaning of a message from the box.
    indirect enum Delivery: Sendable {
        /// The message answers the open request.
        case answer(BoxMessage)
        /// The box speaks our version.
        case agreed
        /// The box speaks none of our versions.
        case versionRefused
        /// The message answers a request that has ended.
        case late
        /// A push that belongs to no request.
        case state(BoxState)
        case revoked
        /// The conversation has stored the message, such as an offer or a warning, or the message changes nothing.
        case kept
        /// A box of a site refuses the grant in hello. The channel has ended.
        case refusedGrant(HelloRefusal)
        /// The site has revoked the grant. Not verified yet.
        case siteEntry([UInt8])
        /// The site has reissued the grant. Not verified yet.
        case siteGrant([UInt8])
        /// The protocol does not allow the message now.
        case nonsense
    }

    /// The phone's capabilities.
    private let capabilities: Capabilities
    /// The grant that hello shows to a box of the phone's site.
    let grant: ShownGrant?
    private var nextID = RequestID.first
    private var helloID: RequestID?
    private(set) var isAgreed = false
    /// The box's capabilities; empty before it has answered hello.
    private(set) var boxCapabilities: Capabilities = []
    /// The box's current offer, even if it came while another answer was awaited.
    private(set) var offer = Offer.none
    /// The box's current logout warning.
    private(set) var warning: LogoutWarning?
    /// The elevation request that waits for the person.
    private(set) var elevation: ElevationPrompt?
    /// The reasons for ended sessions, oldest first, until they are taken.
    private var ends: [SessionEnd] = []
    /// The box's news of the phone's site. `newsWanted` counts the messages still allowed: nil until a question.
    private var news: [ToldNews] = []
    private var newsWanted: Int?

    init(_ capabilities: Capabilities, grant: ShownGrant? = nil) {
        self.capabilities = grant == nil ? capabilities : capabilities.union(.siteGrants)
        self.grant = grant
    }

    /// Returns the messages that send `request`, and the id of its answers.
    mutating func open(
        _ request: PhoneRequest
    ) -> (messages: [PhoneRequestMessage], id: RequestID) {
        var messages: [PhoneRequestMessage] = []
        if helloID == nil {
            let id = takeID()
            helloID = id
            let hello = PhoneRequest.hello(versions: Self.versions, capabilities: capabilities, grant: grant)
            messages.append(PhoneRequestMessage(id: id, request: hello))
        }
        let id = takeID()
        messages.append(PhoneRequestMessage(id: id, request: request))
        return (messages, id)
    }

    /// Sorts a message while the request `current` is open. `current` is nil if no request is open.
    mutating func sort(_ message: BoxMessage, current: RequestID?) -> Delivery {
        switch message {
        case .state(let state): return .state(state)
        case .revoked: return .revoked
        case .offer(let offer):
            self.offer = offer
            return .kept
        case .logoutWarning(let warning):
            self.warning = warning
            return .kept
        case .elevation(let prompt):
            elevation = prompt
            return .kept
        case .elevationOver(let id):
            if elevation?.id == id { elevation = nil }
            return .kept
        case .sessionEnded(let end):
            if ends.count < Self.endLimit { ends.append(end) }
            return .kept
        case .siteEntry(let entry): return grant == nil ? .kept : .siteEntry(entry)
        case .siteGrant(let new): return grant == nil ? .kept : .siteGrant(new)
        case .siteNews(let kind, let bytes):
            guard let left = newsWanted, left > 0 else { return .nonsense }
            newsWanted = left - 1
            news.append(ToldNews(kind: kind, bytes: bytes))
            return .kept
        case .hello(let id, let version, let capabilities):
            guard id == helloID, !isAgreed, Self.versions.contains(version) else { return .nonsense }
            isAgreed = true
            boxCapabilities = capabilities
            return .agreed
        case .result(let id, .protocolVersion, _) where id == helloID:
            return .versionRefused
        case .result(let id, let code, _) where id == helloID:
            return refusal(of: code).map { .refusedGrant($0) } ?? .nonsense
        // Only an enrolment at a site expects carried messages, and does not sort them here.
        case .carried: return .nonsense
        case .enrolNonce, .enrolled, .enrolPending, .progress, .result, .pong, .siteDocument, .siteEnrolled:
            // Before it answers hello, a box must not answer anything else.
            guard isAgreed, let id = message.answers?.request else { return .nonsense }
            if id == current { return .answer(message) }
            return id.rawValue < nextID.rawValue && id != helloID ? .late : .nonsense
        }
    }

    /// Returns nil if a box may not answer hello with this code. A box that saw the whole grant may not ask for it.
    private func refusal(of code: ResultCode) -> HelloRefusal? {
        guard let grant, !isAgreed, let refusal = HelloRefusal(code) else { return nil }
        if case (.grantWanted, .whole) = (refusal, grant) { return nil }
        return refusal
    }

    /// True if the box answers questions about site news, and none was asked on this channel.
    var mayAskNews: Bool { isAgreed && newsWanted == nil && grant != nil && boxCapabilities.contains(.siteNews) }

    #if hasFeature(Embedded)
        /// The web phone shows no notices of enrolments.
        var mayAskNotices: Bool { false }
    #else
        /// True if the box also reports phones that the user has enrolled.
        var mayAskNotices: Bool { boxCapabilities.contains(.enrolmentNotices) }
    #endif

    mutating func expectNews() {
        newsWanted = Self.newsLimit
        news = []
    }

    mutating func takeNews() -> [ToldNews] {
        defer { news = [] }
        return news
    }

    /// Returns the ends of sessions since the last call, at most eight.
    mutating func takeEnds() -> [SessionEnd] {
        defer { ends = [] }
        return ends
    }

    private mutating func takeID() -> RequestID {
        // A channel carries at most 2^20 messages, so the ids do not run out.
        defer { nextID = nextID.next ?? .first }
        return nextID
    }
}
