import Names
import SiteLink
import SiteTrust

/// Whether people may enrol phones of their own at boxes, and how often.
public struct SelfEnrolmentPolicy: Sendable, Equatable {
    public static let phoneLimits: ClosedRange<Int> = 1...8
    public static let boxLimits: ClosedRange<Int> = 1...1_000
    public static let userLimits: ClosedRange<Int> = 1...20
    /// Life of a code, in minutes.
    public static let minutes: UInt64 = 10
    /// Notices that stand at once, of all users: a quarter of what a site's set of entries holds.
    public static let noticeLimit = RevocationSet.entryLimit / 4

    public var isAllowed = false
    /// Phones that a user may have so, with those that administrators have given.
    public var phones: Int = 2
    /// Whether it may be somebody whom the site does not know yet. Then a box that was broken into may name any account.
    public var allowsNewUsers = false
    /// Codes within a day: of one box, and of one user over all boxes.
    public var boxPerDay: Int = 20
    public var userPerDay: Int = 3

    public init() {}

    /// Which of the user's phones is to go.
    public enum Replacing: Sendable, Equatable {
        case none
        /// The one whose id begins so, as a person has typed it.
        case named([UInt8])
        /// The one with that key, as it was chosen when the code was made. Where it was revoked since, none goes.
        case chosen(key: [UInt8])
    }

    /// What the site knows of a user at the moment of a question.
    public struct Facts: Sendable {
        /// Nil: the site does not know the user.
        public let user: SiteUser?
        /// Those of the user that are active.
        public let phones: [SitePhone]
        /// Codes of the last day.
        let ofBox: Int
        let ofUser: Int
        /// Notices of enrolments that stand.
        let notices: Int

        public init(user: SiteUser?, phones: [SitePhone], ofBox: Int = 0, ofUser: Int = 0, notices: Int = 0) {
            self.notices = notices
            self.user = user
            self.phones = phones.filter { $0.state == .active }
            self.ofBox = ofBox
            self.ofUser = ofUser
        }
    }

    public enum Verdict: Sendable, Equatable {
        /// A phone of these groups; the one with that key goes for it.
        case allowed(SiteGroups, replaces: [UInt8]?)
        /// `detail`: what else people should know.
        case refused(SelfEnrolmentRefusal, detail: String)
    }

    /// Whether a user may have one more phone at `box`: asked when the code is made, and again when the digits were compared.
    ///
    /// A new phone gets groups of that box alone, and none that no phone of the user has: what administrators have narrowed stays so.
    public func judge(
        _ name: String, _ facts: Facts, _ replacing: Replacing, at box: SiteBox, of site: SiteID
    ) -> Verdict {
        // Root is everybody's at a box, and the same name at each of them.
        guard isAllowed, name != "root", SitePhone.isUserName(Array(name.utf8)), box.state == .joined else {
            return .refused(.notAllowed, detail: "")
        }
        if facts.user?.state == .revoked { return .refused(.revokedUser, detail: "") }
        guard facts.user != nil || allowsNewUsers else { return .refused(.unknownUser, detail: "") }
        guard facts.ofBox < boxPerDay, facts.ofUser < userPerDay else { return .refused(.tooMany, detail: "") }
        // Nobody gets a phone of which the others could not be told.
        guard facts.notices < Self.noticeLimit else { return .refused(.busy, detail: "") }
        let replaced = replaced(replacing, facts.phones, box, site)
        if case .named = replacing, replaced == nil {
            return .refused(.noSuchPhone, detail: Self.list(facts.phones, site))
        }
        guard facts.phones.count - (replaced == nil ? 0 : 1) < phones else {
            return .refused(.phoneLimit, detail: Self.list(facts.phones, site))
        }
        let own = Set(facts.phones.flatMap(\.groups.numbers))
        guard let groups = SiteGroups(box.groups.numbers.filter { own.isEmpty || own.contains($0) }) else {
            return .refused(.otherGroups, detail: "")
        }
        return .allowed(groups, replaces: replaced?.key)
    }

    /// A box takes no phone along that it would not let in.
    private func replaced(
        _ replacing: Replacing, _ phones: [SitePhone], _ box: SiteBox, _ site: SiteID
    ) -> SitePhone? {
        let near = phones.filter { phone in phone.groups.numbers.contains(where: box.groups.numbers.contains) }
        switch replacing {
        case .none: return nil
        case .chosen(let key): return near.first { $0.key == key }
        case .named(let text):
            let meant = near.filter { phone in
                DeviceID(bytes: SitePhone.deviceID(ofKey: phone.key, at: site))?.begins(with: text) ?? false
            }
            return meant.count == 1 ? meant.first : nil
        }
    }

    /// What there is to choose from, as far as it fits.
    private static func list(_ phones: [SitePhone], _ site: SiteID) -> String {
        var text = ""
        for phone in phones {
            let id = CrockfordBase32.text(SitePhone.deviceID(ofKey: phone.key, at: site)).prefix(8)
            let more = (text.isEmpty ? "" : ", ") + id + (phone.label.isEmpty ? "" : " (\(phone.label))")
            guard text.utf8.count + more.utf8.count <= SelfEnrolmentNews.detailLimit else { break }
            text += more
        }
        return text
    }
}
