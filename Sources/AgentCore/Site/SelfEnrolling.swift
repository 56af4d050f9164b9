import ControlProtocol
import Names
import SiteLink
import TextOutput

/// The enrolment of a user's own phone at the site, between the command and the link. One at a time.
///
///     asked ── code, in 15 s ──► shown ── digits ──► compared ── enrolled, refused ──► over
///        └──────────┴── the command leaves, the link ends, the code expires ──┴───────► over
struct SelfEnrolling: Sendable {
    /// The time limit for the site's first answer, and for its last answer after the code has expired.
    static let patience: Duration = .seconds(15)

    private struct Open: Sendable {
        let control: ControlID
        let number: UInt32
        let user: [UInt8]
        var until: Duration
    }

    private var open: Open?
    private var last: UInt32 = 0

    var deadline: Duration? { open?.until }

    func isOpen(_ control: ControlID) -> Bool { open?.control == control }

    mutating func begin(
        _ control: ControlID, _ user: [UInt8], replacing: [UInt8], over link: SiteOpenLink?, _ out: inout Output
    ) {
        guard open == nil else { return fail(control, .busy, "", &out) }
        // Until the site's first message, the box may send only hello (docs/reference/site-protocol.md, 14).
        guard let link, link.messages > 0 else { return Self.cutOff(control, &out) }
        last &+= 1
        guard let wish = SelfEnrolmentWish(number: last, step: .begin(user: user, replacing: replacing)) else {
            return fail(control, .notAllowed, "", &out)
        }
        open = Open(control: control, number: last, user: user, until: out.time + Self.patience)
        out.emit(.site(link.id, .say([.enrolSelf(wish)])))
    }

    mutating func answer(_ digits: String, accept: Bool, over link: SiteOpenLink?, _ out: inout Output) {
        guard let open, let link else { return }
        let step = SelfEnrolmentWish.Step.answer(digits: [UInt8](digits.utf8), accept: accept)
        // Ignore a text that is not six digits: no comparison took place.
        guard let wish = SelfEnrolmentWish(number: open.number, step: step) else { return }
        out.emit(.site(link.id, .say([.enrolSelf(wish)])))
    }

    mutating func hear(_ news: SelfEnrolmentNews, _ out: inout Output) {
        guard let it = open, it.number == news.number else { return }
        switch news.stage {
        case .code(let code, let seconds):
            open?.until = out.time + .seconds(Int64(seconds)) + Self.patience
            out.emit(.showCode(it.control, uri: code.text, validSeconds: UInt64(seconds)))
        case .digits(let digits, let phone):
            let text = String(decoding: digits, as: UTF8.self)
            out.emit(.tellControl(it.control, .enrolmentDigits(digits: text, label: phone)))
        case .enrolled(let device, let hasReplaced):
            open = nil
            out.log(.notice, "\(LogText.text(it.user)) enrolled a phone at the site")
            let id = [UInt8](CrockfordBase32.text(device).utf8)
            out.emit(.tellControl(it.control, .enrolled(device: id, user: it.user)))
            let text = hasReplaced ? "the other phone was revoked at every box" : ""
            out.emit(.tellControl(it.control, .done(text: text)))
        case .refused(let refusal, let detail):
            open = nil
            let why = refusal.words(LogText.text(detail)).what
            out.logCounted(
                .notice, "the site refuses to enrol a phone for \(LogText.text(it.user)): \(why)", user: it.user,
                paidBy: .person(it.user))
            fail(it.control, refusal, LogText.text(detail), &out)
        }
    }

    /// Cancels the enrolment, because the command has ended and the digits cannot be compared.
    mutating func left(_ control: ControlID, over link: SiteOpenLink?, _ out: inout Output) {
        guard let it = open, it.control == control else { return }
        open = nil
        guard let link, let wish = SelfEnrolmentWish(number: it.number, step: .end) else { return }
        out.emit(.site(link.id, .say([.enrolSelf(wish)])))
    }

    /// Fails the enrolment, because the link has ended.
    mutating func drop(_ out: inout Output) {
        guard let it = open else { return }
        open = nil
        Self.cutOff(it.control, &out)
    }

    mutating func timeHasCome(_ out: inout Output) {
        if let it = open, it.until <= out.time {
            open = nil
            fail(it.control, .notNow, "", &out)
        }
    }

    private static func cutOff(_ control: ControlID, _ out: inout Output) {
        out.emit(
            .tellControl(
                control,
                Refusals.failure(
                    .busy, "this box has no link to its site now",
                    "try again in a minute; if the digits were confirmed, the phone shows if it is enrolled")))
    }

    private func fail(
        _ control: ControlID, _ refusal: SelfEnrolmentRefusal, _ detail: String, _ out: inout Output
    ) {
        let (kind, what, cure) = refusal.words(detail)
        out.emit(.tellControl(control, Refusals.failure(kind, what, cure)))
    }
}

extension SelfEnrolmentRefusal {
    /// Returns the problem and its cure for the user at the box. `detail` comes from the site.
    func words(_ detail: String) -> (kind: FailureKind, what: String, cure: String) {
        let helpdesk = "ask your administrator (boxsite phone enrol)"
        return switch self {
        case .notAllowed: (.notPermitted, "the site does not allow this user's phone to be enrolled here", helpdesk)
        case .unknownUser:
            (.notPermitted, "the site does not know this user; an administrator must enrol the first phone", helpdesk)
        case .revokedUser: (.notPermitted, "an administrator has revoked all phones of this user", helpdesk)
        case .phoneLimit:
            (
                .notPermitted, "this user already has as many phones as the site allows: \(detail)",
                "replace one: boxagent enrol --self --replace ID"
            )
        case .noSuchPhone:
            (
                .notFound, "the ID matches no phone of this user that logs in here; there are: \(detail)",
                "give another ID"
            )
        case .otherGroups: (.notPermitted, "this user's phones are for other boxes", helpdesk)
        case .tooMany: (.busy, "this box or user has used all codes that the site allows in a day", helpdesk)
        case .busy: (.busy, "another phone is being enrolled at this box or site", "try again in a few minutes")
        case .notNow: (.busy, "the site cannot answer now", "try again in a minute")
        case .declined:
            (.declined, "the digits did not match, and no phone was enrolled", "start again with a new code")
        case .over: (.declined, "the code is no longer valid, and no phone was enrolled", "start again with a new code")
        }
    }
}
