import CommandTool
import PhoneCore
import TextOutput

extension EnrolledPhone {
    var line: String {
        "phone \(id) was enrolled in your name after a login at box \(boxID), \(Timestamp.local(time))"
    }
}

/// Texts about a site for people, and JSON for programs.
extension SiteAccess {
    /// The user's name, safe to print.
    var userText: String { String(decoding: user, as: UTF8.self).escaped }
    var untilText: String { Timestamp.local(expiry) }

    var groupsText: String {
        (groups.count == 1 ? "group " : "groups ") + groups.map { "\($0)" }.joined(separator: ", ")
    }

    /// A sentence on how to store the password, or nil if this phone has the password.
    var nextStep: String? {
        if mode == .siteHeld {
            return
                "The site keeps your password, behind a PIN. Wrong PINs at all its boxes count together. Store both at any box: "
                + "boxphone credentials set NUMBER"
        }
        guard !known.hasCredential else { return nil }
        return
            "This phone will keep your password. Store it with boxphone credentials set, or let the first boxphone login "
            + "NUMBER ask for it."
    }

    var line: String {
        var parts = [name, userText, "until \(untilText)", groupsText]
        parts.append(
            mode == .siteHeld
                ? "password kept at the site" : known.hasCredential ? "password on this phone" : "no password stored")
        if let stoppedUntil {
            parts.append("REVOKED by the site; will be destroyed here after \(Timestamp.local(stoppedUntil))")
        }
        parts += enrolledPhones.map(\.line)
        return parts.joined(separator: "  ")
    }

    var json: JSONValue {
        .record([
            ("site", .text(siteID)), ("name", .text(name)), ("user", .text(String(decoding: user, as: UTF8.self))),
            ("groups", .list(groups.map { .number($0) })), ("until", .number(expiry)), ("key", .text(phoneCode)),
            ("password_on_phone", .flag(known.hasCredential)), ("stopped_until", .number(orNull: stoppedUntil)),
            (
                "enrolled",
                .list(
                    enrolledPhones.map {
                        .record([("id", .text($0.id)), ("box", .text($0.boxID)), ("time", .number($0.time))])
                    })
            ),
        ])
    }

    /// Lists exactly what will be destroyed with the site.
    var plan: [String] {
        [
            "This phone will destroy for good its key and grant for this site"
                + (known.hasCredential ? ", and the password that it keeps for it:" : ":"),
            "  site   \(siteID)",
            "  user   \(userText)",
        ]
    }
}
