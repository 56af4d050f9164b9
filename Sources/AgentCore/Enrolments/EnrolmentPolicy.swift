import AgentConfiguration
import ControlProtocol
import Names
import PhoneMessages

/// Decides for which users a phone may be enrolled.
package enum EnrolmentPolicy {
    /// Returns why a phone may not be enrolled for `user`, given the lookup of the account. Returns nil if it may.
    package static func refusal(
        of user: [UInt8], _ account: AccountLookup, _ policy: Configuration.Enrolment
    ) -> ControlReply? {
        let name = LogText.text(user)
        guard UserName.isAllowed(user) else {
            return Refusals.failure(
                .invalid, "'\(name)' is not a valid user name",
                "give 1 to 255 bytes without control characters, '/' or ':', not beginning with '-'")
        }
        switch account {
        case .found(let uid, _) where uid < UInt32(policy.minimumUserID) && !policy.allowSystemUsers:
            return Refusals.failure(
                .notPermitted, "'\(name)' is a system account (uid \(uid))",
                "enrol a person's account, or set enrolment.allow_system_users = true in boxagent.toml")
        case .unknown where policy.requireKnownUser:
            return Refusals.failure(
                .notFound, "this box does not know the user '\(name)'",
                "check the spelling with 'getent passwd', or set enrolment.require_known_user = false")
        case .failed where policy.requireKnownUser:
            return Refusals.failure(
                .fault, "the user database did not answer for '\(name)'", "check 'getent passwd' and try again")
        default:
            return nil
        }
    }

    /// Returns why the wish is refused for its kind of credential or phone, or nil if it is allowed.
    package static func refusal(of wish: EnrolmentWish, _ configuration: Configuration) -> ControlReply? {
        guard wish.credential != .siteHeld else {
            return Refusals.failure(
                .invalid, "a site cannot hold the password of a phone that is enrolled at a box",
                "leave out --site-held, or use --box-held")
        }
        guard wish.isWeb else { return nil }
        guard configuration.enrolment.allowWeb else {
            return Refusals.failure(
                .notPermitted, "this box does not accept web phones",
                "enrol another phone, or set enrolment.allow_web = true in boxagent.toml")
        }
        guard wish.credential == .boxHeld else {
            return Refusals.failure(.invalid, "a web phone cannot store a password", "add --box-held")
        }
        guard !configuration.presence.requirePhone || wish.isForced else {
            return Refusals.failure(
                .notPermitted,
                "this box locks sessions when their phone leaves (presence.require_phone), "
                    + "but it cannot detect that a web phone has left",
                "enrol another phone, or add --force; this phone's sessions then end only by hand or by [auto_logout]")
        }
        return nil
    }
}
