import PhoneMessages

/// What is said on one channel: gives requests their ids, opens with hello, and sorts what comes back.
///
/// Pure. Hello is not waited for: it goes out with the first request, in one round trip.
struct ChannelConversation: Sendable {
    /// The versions of the messages that this phone speaks.
    static let versions: [UInt8] = [MessageLimits.protocolVersion]
    /// Ends of sessions that are kept for a watcher: a phone has few, and a box that floods it gains nothing.
    private static let endLimit = 8
    /// What a box may tell of a site for one question: a document, a head, and entries in five messages.
    private static let newsLimit = 7

    /// What a message from the box is about.
    indirect enum Delivery: Sendable {
        /// It belongs to the request with this id.
        case answer(BoxMessage)
        /// The box speaks our version.
        case agreed
        /// The box speaks none of our versions.
        case versionRefused
        /// An answer to a request that is over.
        case late
        /// A push that belongs to no request.
        case state(BoxState)
        case revoked
        /// A push that the conversation keeps: what the box offers, warns of or asks at the moment.
        case kept
        /// The box of a site does not take the grant that hello has shown; the channel is over.
        case refusedGrant(ResultCode)
        /// The site has taken the grant back: in the box's words, until the signature is looked at.
        case siteEntry([UInt8])
        /// The site has issued the grant anew: in the box's words, until the signature is looked at.
        case siteGrant([UInt8])
        /// Nothing that a box may say here.
        case nonsense
    }

    /// What this phone can do.
    private let capabilities: Capabilities
    /// What hello shows to a box of the phone's site.
    let grant: ShownGrant?
    private var nextID = RequestID.first
    private var helloID: RequestID?
    private(set) var isAgreed = false
    /// What the box can do; nothing before it has answered hello.
    private(set) var boxCapabilities: Capabilities = []
    /// What the box offers, also if it said so while something else was waited for.
    private(set) var offer = Offer.none
    /// What the box warns of, in the same way.
    private(set) var warning: LogoutWarning?
    /// What the box asks the person to allow, until it is over.
    private(set) var elevation: ElevationPrompt?
    /// Why sessions ended, the oldest first, until somebody takes it.
    private var ends: [SessionEnd] = []
    /// What the box has told of the phone's site, and how much more it may: nothing that it was not asked for.
    private var news: [ToldNews] = []
    private var newsWanted: Int?

    init(_ capabilities: Capabilities, grant: ShownGrant? = nil) {
        self.capabilities = grant == nil ? capabilities : capabilities.union(.siteGrants)
        self.grant = grant
    }

    /// The messages that ask for `request`, and the id of its answers.
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

    /// Sorts a message while the request `current` is open, or none.
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
        case .result(let id, let code, _) where id == helloID && refusesGrant(code): return .refusedGrant(code)
        // Only who asked for it gets it, and takes it from here before.
        case .carried: return .nonsense
        case .enrolNonce, .enrolled, .enrolPending, .progress, .result, .pong, .siteDocument, .siteEnrolled:
            // A box answers nothing but hello before it has answered hello.
            guard isAgreed, let id = message.answers?.request else { return .nonsense }
            if id == current { return .answer(message) }
            return id.rawValue < nextID.rawValue && id != helloID ? .late : .nonsense
        }
    }

    /// Whether a box may answer hello with this code. One that was shown the whole grant has no reason to ask for it.
    private func refusesGrant(_ code: ResultCode) -> Bool {
        guard let grant, !isAgreed else { return false }
        switch (code, grant) {
        case (.grantWanted, .hash): return true
        case (.grantNotAccepted, _), (.siteDocumentNeeded, _), (.grantExpired, _), (.notAtThisBox, _),
            (.revokedBySite, _), (.boxCutOff, _):
            return true
        default: return false
        }
    }

    /// Whether the box answers what the phone lacks of its site, and was not asked on this channel.
    var mayAskNews: Bool { isAgreed && newsWanted == nil && grant != nil && boxCapabilities.contains(.siteNews) }

    #if hasFeature(Embedded)
        /// A page shows none.
        var mayAskNotices: Bool { false }
    #else
        /// Whether the box also tells of phones that the user has enrolled.
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

    /// What has ended since this was asked last, at most eight.
    mutating func takeEnds() -> [SessionEnd] {
        defer { ends = [] }
        return ends
    }

    private mutating func takeID() -> RequestID {
        // A channel carries at most 2^20 messages: the ids do not run out.
        defer { nextID = nextID.next ?? .first }
        return nextID
    }
}
