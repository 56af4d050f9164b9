/// The reasons why a phone rejects data of a site, or cannot tell which site is meant. `description` says what to do.
public enum SiteProblem: Error, Equatable, Sendable {
    /// The text is not a grant.
    case otherText
    /// Characters of the text are missing or changed.
    case damagedText
    case newerText
    /// The root that the site document names did not sign it.
    case documentNotSigned
    /// The document is not a successor of the stored one.
    case otherDocument
    /// The grant is for none of this phone's keys.
    case otherPhone
    /// The document does not list the grant's issuer for phones.
    case unknownIssuer
    case grantNotSigned
    case expired
    /// The site holds the password, but its current root did not sign the site key that comes with the grant.
    case keyNotSigned
    /// The site holds the password, but this phone has no key that the site's root signed.
    case noSiteKey
    /// The grant is for another user than the stored grant.
    case otherUser
    /// The phone belongs to that site with another key, or the key belongs to another site.
    case otherKey
    /// The stored data cannot be read.
    case damaged
    case noSites
    case unknownSite(String)
    case severalSites([String])
    /// No box of the code's site was heard.
    case noBoxOfSite
    /// Boxes were reached, but none carries messages to the site.
    case noBoxCarries
    /// The site refused the code, or a message was changed on its way.
    case codeRefused
    /// Another phone waits for the administrator with the same code.
    case enrolmentBusy
    /// The administrator refused, or the code was used or too old.
    case enrolmentRefused
    /// The link broke before there were digits, and the code is used up.
    case enrolmentLost
    /// The link broke during the comparison of the digits, and the site could not be asked.
    case enrolmentUncertain
    case enrolmentNonsense
    /// The site's answer names another site or root than the code.
    case otherSiteThanCode
}

extension SiteProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .otherText:
            "this is not a grant; a grant begins with boxsite-grant:1/ and comes from the site's administrator"
        case .damagedText: "characters of the grant are missing or changed; copy the whole text again"
        case .newerText: "the grant is of a newer version; update boxphone"
        case .documentNotSigned: "the site document is not signed by its root; ask the administrator for a new grant"
        case .otherDocument:
            "the site document does not follow the one on this phone, so nothing was changed; tell the administrator"
        case .otherPhone:
            "the grant is for another phone; give the administrator the line that boxphone site key prints"
        case .unknownIssuer:
            "the site document does not list the issuer of the grant; ask the administrator for a new grant"
        case .grantNotSigned: "the grant is not signed by the site; ask the administrator for a new grant"
        case .expired: "the grant has expired, or this machine's clock is wrong; ask the administrator for a new grant"
        case .keyNotSigned:
            "the site's key in the grant is not signed by the site's root, so nothing was changed; tell the administrator"
        case .noSiteKey:
            "this phone has no key of its site that the site's root has signed; ask the administrator for a new grant"
        case .otherUser: "the grant is for another user than before; first run boxphone site forget"
        case .otherKey:
            "this phone already belongs to that site, with another key; renew that key, or first run boxphone site forget"
        case .damaged:
            "this phone's data for a site is damaged; restore its vault from a backup, or start with a new one"
        case .noSites: "this phone does not belong to a site; start with: boxphone site enrol"
        case .unknownSite(let name): "this phone does not belong to a site called \(name); see: boxphone site list"
        case .noBoxOfSite:
            "no box of the site was found; go nearer to one, or name it by the number on its screen, and try again"
        case .noBoxCarries:
            "no box here can reach its site now; try again in a minute, or at another box"
        case .codeRefused:
            "the site did not accept the code; it may be mistyped, used or too old: ask the administrator for a new one"
        case .enrolmentBusy:
            "another phone is being enrolled with this code; if it is not yours, tell the administrator to say no"
        case .enrolmentRefused:
            "the site did not enrol this phone: the administrator said no, or the code was used or too old"
        case .enrolmentLost:
            "the connection broke before the digits appeared, and the code is used up; ask the administrator for a new one"
        case .enrolmentUncertain:
            "the connection broke before the site answered; run the same command again. It finishes the enrolment if the "
                + "administrator has confirmed the digits"
        case .enrolmentNonsense:
            "the site sent an invalid reply; update this phone, or tell the administrator"
        case .otherSiteThanCode:
            "the site is not the one that the code names, so nothing was kept; tell the administrator"
        case .severalSites(let names): "this phone belongs to several sites; name one: \(names.joined(separator: ", "))"
        }
    }
}
