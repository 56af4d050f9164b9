import Names
import SiteLink
import SiteTrust

/// The limits for users who enrol phones of their own at boxes.
public struct SelfEnrolmentPolicy: Sendable, Equatable {
    public static let phoneLimits: ClosedRange<Int> = 1...8
    public static let boxLimits: ClosedRange<Int> = 1...1_000
    public static let userLimits: ClosedRange<Int> = 1...20
    /// The lifetime of a code, in minutes.
    public static let minutes: UInt64 = 10
    /// The most enrolment notices of all users that may be valid at once: a quarter of a site's revocation set.
    public static let noticeLimit = RevocationSet.entryLimit / 4

    public var isAllowed = false
    /// Phones that a user may have after a self-enrolment, including those from administrators.
    public var phones: Int = 2
    /// True if users whom the site does not know yet may enrol a phone. A compromised box can then name any account.
    public var allowsNewUsers = false
    /// The most codes within a day: at one box, and for one user at all boxes together.
    public var boxPerDay: Int = 20
    public var userPerDay: Int = 3

    public init() {}

    /// The phone that the new one replaces.
    public enum Replacing: Sendable, Equatable {
        case none
        /// The phone whose ID begins with these characters, as a person typed them.
        case named([UInt8])
        /// The phone with that key, as chosen when the code was made. If it was revoked since, none is replaced.
        case chosen(key: [UInt8])
    }

    /// The site's knowledge of a user when a request is judged.
    public struct Facts: Sendable {
        /// Nil if the site does not know the user.
        public let user: SiteUser?
        /// The user's active phones.
        public let phones: [SitePhone]
        /// Codes of the last day, made at the box and made for the user.
        let ofBox: Int
        let ofUser: Int
        /// Valid enrolment notices of all users.
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
        /// The new phone gets these groups. The phone with the key `replaces`, if any, is revoked.
        case allowed(SiteGroups, replaces: [UInt8]?)
        /// `detail` is further information for the user.
        case refused(SelfEnrolmentRefusal, detail: String)
    }

    /// Decides whether a user may have one more phone at `box`. Called when the code is made, and again after the
    /// digits were compared.
    ///
    /// A new phone only gets groups of `box`. If the user already has phones, these must have the groups too, so that
    /// restrictions by administrators stay.
    public func judge(
        _ name: String, _ facts: Facts, _ replacing: Replacing, at box: SiteBox, of site: SiteID
    ) -> Verdict {
        // `root` is refused: it is not one person's account, and it has the same name at every box.
        guard isAllowed, name != "root", SitePhone.isUserName(Array(name.utf8)), box.state == .joined else {
            return .refused(.notAllowed, detail: "")
        }
        if facts.user?.state == .revoked { return .refused(.revokedUser, detail: "") }
        guard facts.user != nil || allowsNewUsers else { return .refused(.unknownUser, detail: "") }
        guard facts.ofBox < boxPerDay, facts.ofUser < userPerDay else { return .refused(.tooMany, detail: "") }
        // A user's other phones must be told of a new one, so there must be room for a notice.
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

    /// Returns the phone to replace, or nil. A box can only replace a phone that it would admit.
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

    /// Returns the phones to choose from, as many as fit.
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
