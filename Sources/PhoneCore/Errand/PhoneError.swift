import Links
import PhoneMessages
import VaultPort

/// The reason why an operation failed. `description` states the problem and the next step.
public indirect enum PhoneError: Error, Sendable, Equatable {
    /// No box is enrolled yet.
    case noBoxes
    /// No enrolled box has that name.
    case unknownBox(String)
    /// Several boxes are enrolled and none was named.
    case severalBoxes([String])
    /// Several trusted boxes in range show the same digits, and the person chose none.
    case sameDigits(boxID: String, names: [String])
    /// The box was not heard.
    case boxNotFound(boxID: String)
    /// Two boxes in range have proved the box's key. Neither got a request.
    case twoBoxes(boxID: String)
    /// A box in range shows the digits but is not the box. Nothing was sent to it.
    case notTheBox(boxID: String, IdentityProblem)
    /// The box was heard, but no link to it opened.
    case unreachable(boxID: String, LinkError)
    /// The radio cannot be used.
    case radio(LinkError)
    /// The box ended the link silently, as it does for unknown phones, or an impostor answered.
    case notAccepted(boxID: String)
    /// The box did not accept the enrolment code, or an impostor answered.
    case codeNotAccepted(boxID: String)
    /// The administrator or the box refused the enrolment.
    case enrolmentRefused(boxID: String)
    /// At the box, another phone or an earlier try of this phone waits for the administrator.
    case enrolmentBusy(boxID: String)
    /// The box knows the phone's key from before, but has revoked the key, so no channel opens.
    case alreadyEnrolled(boxID: String)
    /// The result of the enrolment is not known yet. The phone keeps its key.
    case enrolmentUncertain(boxID: String)
    /// Box and phone have no protocol version in common.
    case protocolVersion(boxID: String)
    /// The box accepted the request and did not answer it in time.
    case noAnswer(boxID: String)
    /// The person gave up a login, and the box did not say whether a program has the password.
    case notWithdrawn(boxID: String)
    /// The link broke after the request was sent.
    case linkLost(boxID: String)
    /// The box sent a reply that the protocol does not allow.
    case nonsense(boxID: String)
    /// A ping came back with other bytes than were sent. `at` is the index of the first wrong byte.
    case pingDiffers(boxID: String, at: Int)
    /// The box has revoked this phone. Key, device secret and password for it are destroyed.
    case revoked(boxID: String)
    /// No credential that this phone could open is stored at the box.
    case noDeviceSecret(boxID: String)
    /// The request needs a box-held credential, and this box holds none.
    case wrongMode(boxID: String, WrongMode)
    /// This phone belongs to a site, and the person named no box by its number.
    case numberNeeded
    /// A box of the phone's site refused its grant.
    case grantRefused(boxID: String, HelloRefusal)
    /// The site has revoked this phone's access by a signed entry. The phone no longer uses its data for the site.
    case siteStopped
    /// The phone rejected the site data, or cannot tell which site is meant.
    case site(SiteProblem)
    /// The phone's vault failed.
    case vault(VaultError)
    /// The caller's task was cancelled.
    case cancelled
}

/// The operation that a box without credentials cannot do.
public enum WrongMode: Sendable, Equatable {
    case keepsNoPasswords
    case hasNoPIN
}

extension PhoneError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noBoxes: "no box is enrolled yet; ask the administrator for a code and run: boxphone enrol"
        case .unknownBox(let name): "no enrolled box is called \(name); see: boxphone boxes"
        case .severalBoxes(let names): "several boxes are enrolled; name one: \(names.joined(separator: ", "))"
        case .sameDigits(let id, let names):
            "\(names.count) enrolled boxes in range show \(id); name one: \(names.joined(separator: ", "))"
        case .boxNotFound(let id):
            "box \(id) was not found; go nearer, check that its screen shows \(id), and try again"
        case .notTheBox(let id, .site(let problem)):
            "a box in range shows \(id), but it \(problem). It learned nothing about you. Tell the site's administrator"
        case .notTheBox(let id, let problem):
            "a box in range shows \(id), but it \(problem). Nothing was sent to it. "
                + "If your box was reinstalled, ask the administrator for a new code. Otherwise tell them about it"
        case .twoBoxes(let id):
            "two boxes answer as box \(id): one is a copy, or relays the other. No password was sent to either. "
                + "Use another box, and tell the administrator"
        case .unreachable(let id, let error): "box \(id) was found, but could not be reached: \(error)"
        case .radio(let error): "the radio cannot be used: \(error)"
        case .notAccepted(let id):
            "box \(id) did not accept this phone; try again. If it stays so, the phone may be revoked, or the box "
                + "reinstalled: ask the administrator"
        case .codeNotAccepted(let id):
            "box \(id) did not accept the code; it may be mistyped, used or too old: ask the "
                + "administrator for a new one"
        case .enrolmentRefused(let id): "box \(id) did not enrol this phone: the administrator said no or was too late"
        case .enrolmentBusy(let id):
            "box \(id) is enrolling another phone, or an earlier try of this one; try again in half a minute"
        case .alreadyEnrolled(let id):
            "box \(id) has revoked this phone's earlier key, and the key is now destroyed; run boxphone enrol again"
        case .enrolmentUncertain(let id):
            "the connection to box \(id) broke before its answer came. If the administrator's terminal says enrolled, run "
                + "boxphone status. Otherwise ask the administrator for a new code: this one is used up"
        case .protocolVersion(let id): "box \(id) and this phone speak different versions; update the older one"
        case .noAnswer(let id): "box \(id) does not answer; look at its screen, then try again"
        case .notWithdrawn(let id): "box \(id) did not say whether it cancelled the login in time; look at its screen"
        case .linkLost(let id):
            "the connection to box \(id) broke before its answer came; look at its screen, then go nearer and try again"
        case .nonsense(let id):
            "box \(id) sent an invalid reply; update box and phone, or tell the administrator"
        case .pingDiffers(let id, let place):
            "box \(id) sent back the wrong bytes (the first is number \(place)); tell the administrator"
        case .revoked(let id):
            "box \(id) has revoked this phone. All that the phone kept for that box is destroyed; ask the administrator for a new code"
        case .noDeviceSecret(let id): "your password is not stored at box \(id); run: boxphone credentials set"
        case .wrongMode(let id, .keepsNoPasswords):
            "box \(id) keeps no passwords; store yours on this phone: boxphone credentials set"
        case .wrongMode(let id, .hasNoPIN):
            "box \(id) keeps no PIN of yours; to change this phone's own PIN, run: boxphone pin change"
        case .numberNeeded: "name the box by the number on its screen; every box of your site has six digits"
        case .grantRefused(let id, let refusal): refusal.explained(boxID: id)
        case .siteStopped:
            "your site has revoked this phone's access by a signed entry; the phone no longer uses what it keeps for the "
                + "site. Ask the site's administrator; see also: boxphone site list"
        case .site(let problem): problem.description
        case .vault(let error): error.description
        case .cancelled: "cancelled"
        }
    }
}

extension HelloRefusal {
    /// Explains to the person why a box refused a grant.
    fileprivate func explained(boxID id: String) -> String {
        switch self {
        case .grantExpired: "your access to the site has expired; ask its administrator for a new grant"
        case .notAtThisBox: "your access to the site does not include box \(id)"
        case .revokedBySite:
            "box \(id) says that the site has revoked your access, but does not prove it; try another box, or ask "
                + "the site's administrator"
        case .boxCutOff: "box \(id) has been without its site for too long; use another box, or tell the administrator"
        case .siteDocumentNeeded:
            "box \(id) and this phone have different versions of the site document; ask its administrator for a new grant"
        case .grantWanted, .grantNotAccepted:
            "box \(id) does not accept this phone's grant; ask the site's administrator"
        }
    }
}
