import PhoneMessages
import VaultPort

/// The end of a question about news.
enum NewsEnd: Sendable {
    /// Carries the session state that the box reported meanwhile.
    case over(BoxState?)
    case settle(RequestEnd, BoxState?)
}

/// After the person's operation, asks a box for news of its site: newer document, signed status, revoked boxes, and
/// phones that the user enrolled.
///
/// ```
/// asking ─────────────── signed items ────────► keeping ── there may be more ──► asking
///    └───── nothing, refused, too late ──► (over)  └───────────────────────────► (over)
/// ```
final class NewsAsking {
    private enum Stage {
        case asking(Asking)
        case keeping(LearnedNews)
    }

    /// The time limit for all questions to one box. The person did not ask for news and must not wait longer.
    static let limit: Duration = .seconds(2)
    /// The most questions to one box. That many full answers bring all entries that a phone keeps.
    static let questionLimit = 80

    private let desk: SiteDesk
    /// True if the box supports notices of enrolments and the phone asks for them.
    private let takesNotices: Bool
    private var site: KnownSite
    private var part = 0
    private var questions = 0
    private let until: Duration
    private var stage: Stage
    private var state: BoxState?

    /// Returns nil if the box has no site, or cannot be asked for news on this channel.
    init?(_ box: KnownBox, _ context: inout ErrandContext) {
        guard let kept = box.site, let desk = context.sites.desk, context.mayAskNews else { return nil }
        let site = context.sites.current(kept)
        takesNotices = context.mayAskNotices
        guard let asking = Self.ask(desk, site, 0, takesNotices, &context) else { return nil }
        (self.desk, self.site, stage) = (desk, site, .asking(asking))
        until = context.now + Self.limit
    }

    var deadline: Duration? {
        guard case .asking = stage else { return nil }
        return until
    }

    private static func ask(
        _ desk: SiteDesk, _ site: KnownSite, _ part: Int, _ takesNotices: Bool, _ context: inout ErrandContext
    ) -> Asking? {
        guard let question = desk.question(site, part, takesNotices) else { return nil }
        context.expectNews()
        return Asking(.siteNews(question), .simple, &context)
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> NewsEnd? {
        switch stage {
        case .asking(let asking):
            if case .time = input, context.now >= until { return .over(state) }
            let answered = asking.handle(input, isShown: false, &context)
            guard let answered else { return nil }
            state = answered.state ?? state
            switch answered.end {
            case .outcome(.done): return heard(&context)
            case .outcome: return .over(state)
            default: return .settle(answered.end, state)
            }
        case .keeping(let learned):
            switch input {
            case .vault(.done):
                context.sites.changed(learned.site)
                site = learned.site
                #if !hasFeature(Embedded)
                    for phone in learned.enrolled { context.show(.phoneEnrolled(phone)) }
                #endif
                return goOn(isMore: learned.isMore, &context)
            case .vault: return .over(state)
            default: return nil
            }
        }
    }

    private func heard(_ context: inout ErrandContext) -> NewsEnd? {
        switch desk.learn(site, context.takeNews(), takesNotices) {
        case .refused: return .over(state)
        case .nothing: return goOn(isMore: false, &context)
        case .news(let learned):
            stage = .keeping(learned)
            context.ask(.keepSiteNews(learned.news))
            return nil
        }
    }

    /// Asks about the same part again if entries came, otherwise about the next part.
    private func goOn(isMore: Bool, _ context: inout ErrandContext) -> NewsEnd? {
        if !isMore { part += 1 }
        questions += 1
        guard context.now < until, questions < Self.questionLimit,
            let asking = Self.ask(desk, site, part, takesNotices, &context)
        else { return .over(state) }
        stage = .asking(asking)
        return nil
    }
}
